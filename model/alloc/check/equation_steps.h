// The allocated function as the original's instructions and what an allocator put between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/check/equation_copies.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/violation.h"

namespace spillway::check::backward {

/// One access of an instruction that both functions have.
struct Touch {
  TensorId original;
  TensorId allocated;
  const Operand* original_operand = nullptr;  ///< null: any byte of the tensor
  const Operand* allocated_operand = nullptr;
  bool is_write = false;
  bool is_exact = true;  ///< touches all of `pattern`; otherwise any part of it
  PlaneSet pattern;      ///< where the operand's place is constant there, else at its origin
  bool moves = false;    ///< the place depends on loops
};

enum class StepKind {
  kLoopBegin,
  kLoopEnd,
  kBoth,      ///< an instruction of both functions
  kInserted,  ///< a copy that the original lacks
  kRemoved,   ///< a load from constant memory that the allocated function lacks
};

struct Step {
  StepKind kind = StepKind::kBoth;
  LoopId loop;
  std::size_t partner = 0;  ///< of a loop's end: its begin
  PointId point;            ///< of the allocated function; of a removed load: of what follows
  const Instruction* original = nullptr;  ///< kBoth, kRemoved
  const std::vector<Predicate>* when = nullptr;
  std::vector<Touch> touches;     ///< reads first
  std::optional<CopyShape> load;  ///< the original's, where it loads from constant memory
  std::optional<CopyShape> copy;  ///< the allocated function's, where there is `load`, or inserted
};

struct Matching {
  std::vector<Step> steps;
  /// The tensor of the same name in the allocated function.
  IdVector<TensorId, std::optional<TensorId>> namesake;
  /// DRAM tensors that lie in a memory of their own and that no inserted copy writes: what they
  /// hold is what the original's do.
  IdVector<TensorId, bool> is_apart;
  std::vector<Violation> violations;  ///< not empty: the functions don't match, `steps` is useless
};

/// Pairs the instructions of `original` with those of `allocated`: the original's in order, with
/// other tensors and blocks in their operands at most; copies in between; loads from inputs and
/// constants may be missing. Both kernels and `placement` must outlive the result.
Matching MatchInstructions(const Kernel& original, const LinearKernel& allocated,
                           const Placement& placement);

}  // namespace spillway::check::backward
