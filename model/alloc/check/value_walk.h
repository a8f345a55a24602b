// Runs the steps of an allocated function over the values that its places hold.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/check/value_step.h"
#include "model/hw/violation.h"

namespace spillway::check {

class ValueWalk {
 public:
  ValueWalk(const Kernel& original, const LinearKernel& allocated, const Placement& placement,
            const std::vector<CodeStep>& steps);

  /// From the first step to the last, with what on-chip outputs must hold in the end.
  CheckResult Run();

 private:
  void RunSteps(std::size_t begin, std::size_t end);
  void RunLoop(std::size_t begin);
  void RunOriginal(std::size_t step);
  void RunCopy(const ValueStep& step);
  void Read(std::size_t step, OperandUse& use);
  void Write(const OperandUse& use);
  /// The program's copy makes its destination equal to its source: where the source lies, so does
  /// the destination's value. `define`: and nowhere else.
  void Alias(const ValueStep& step, bool define);
  void CheckOutputs();

  /// Calls `take(resolved)` for what the use touches at the loops' values now.
  template <class Take>
  void ForEachResolved(const OperandUse& use, Take take);
  void Report(std::size_t step, OperandUse& use, const ResolvedUse& resolved,
              const PlaneSet& missing);
  /// Where the caller's tensor of the program lies in the allocated function's memory.
  std::optional<Start> CallersStart(const Operand& operand) const;

  const Kernel& original_;
  const LinearKernel& allocated_;
  ProgramValues values_;
  PlacedMemory memory_;
  std::vector<ValueStep> steps_;
  HeldValues held_;
  std::vector<std::int64_t> loop_values_;
  std::vector<TensorId> stands_for_;  ///< by tensor of the program: the one of its name
  std::int64_t budget_;
  CheckResult result_;
};

}  // namespace spillway::check
