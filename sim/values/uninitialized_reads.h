// Follows which bytes are defined while a kernel runs, and names reads of those that aren't.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/ir/access.h"
#include "model/hw/violation.h"
#include "sim/values/reference_memory.h"

namespace spillway {

/// One instruction about to run.
struct RunningInstruction {
  const Instruction& instruction;
  std::span<const Access> accesses;
  std::span<const std::int64_t> loop_values;
  PointId point;
};

class UninitializedReads {
 public:
  /// At most this many are described; all are counted.
  static constexpr std::size_t kListed = 1000;

  UninitializedReads(const Kernel& kernel, ReferenceMemory& memory)
      : kernel_(kernel), memory_(memory) {}

  /// Checks the reads, then takes the writes as done. A spill copy only moves bytes: it passes on
  /// whether they are defined and is no reader.
  void Step(const RunningInstruction& step);

  const std::vector<Violation>& violations() const { return violations_; }
  /// Distinct pairs of tensor and point.
  std::int64_t total() const { return static_cast<std::int64_t>(reported_.size()); }
  /// Reads that were looked at.
  std::int64_t checked() const { return checked_; }

 private:
  void CheckRead(const RunningInstruction& step, const Access& access);
  void CheckPattern(const RunningInstruction& step, const Access& access, const Pattern& pattern);
  void MarkWritten(const Pattern& pattern);
  void PassOn(const Pattern& from, const Pattern& to);

  const Kernel& kernel_;
  ReferenceMemory& memory_;
  std::set<std::pair<TensorId, PointId>> reported_;
  std::vector<Violation> violations_;
  std::int64_t checked_ = 0;
};

}  // namespace spillway
