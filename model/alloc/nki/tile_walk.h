// The instances of a kernel that touch certain tensors, in program order and up to a limit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway::nki {

/// Instances and turns of loops that a walk makes before it gives up.
inline constexpr std::int64_t kMaxTileSteps = 1'000'000;

/// Pieces of a pattern that cost as much as a step.
inline constexpr std::size_t kRunsPerStep = 16;

/// Steps through the instances of the instructions that are `wanted`: loops run their trips (a
/// dynamic one to its bound), and an instruction whose predicates don't all hold has no instance.
/// Loops without a wanted instruction are left out. `kernel` must outlive this.
class TileWalk {
 public:
  TileWalk(const Kernel& kernel, const IdVector<InstructionId, bool>& wanted,
           std::int64_t max_steps = kMaxTileSteps);

  /// Moves to the next instance, at first to the first one; false behind the last or at the limit.
  bool Next();
  /// Takes the steps that `runs` pieces of patterns are worth off the limit: work is bounded, too,
  /// where each instance touches thousands of them.
  void Charge(std::size_t runs) { steps_left_ -= static_cast<std::int64_t>(runs / kRunsPerStep); }
  /// False once the limit ended the walk.
  bool complete() const { return complete_; }

  InstructionId instruction() const { return kernel_.body[at_].instruction(); }
  PointId point() const { return PointId(at_); }
  /// Value of loop l at index l; loops that aren't open hold any value.
  std::span<const std::int64_t> values() const { return values_; }
  /// The loops around the instance, outermost first.
  std::vector<LoopId> OpenLoops() const;
  /// Of the instance among all that the walk visits, from 0 on.
  std::int64_t number() const { return number_; }

 private:
  struct Open {
    std::size_t begin = 0;
    std::int64_t trips_left = 0;
  };

  bool Spend() { return complete_ = complete_ && --steps_left_ >= 0; }

  const Kernel& kernel_;
  std::vector<bool> is_wanted_;       ///< by item of the body: an instruction, or a loop around one
  std::vector<std::size_t> ends_at_;  ///< of a loop's begin: the item that ends it
  std::int64_t steps_left_;
  bool complete_ = true;
  bool started_ = false;
  std::size_t at_ = 0;
  std::int64_t number_ = -1;
  std::vector<Open> open_;
  std::vector<std::int64_t> values_;
};

/// Marks the instructions that touch one of the tensors.
IdVector<InstructionId, bool> InstructionsThatTouch(const Kernel& kernel,
                                                    const IdVector<TensorId, bool>& tensors);

}  // namespace spillway::nki
