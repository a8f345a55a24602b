// Where operands of the allocated function lie, and which bytes of its block an operand touches.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/alloc/check/held_values.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"

namespace spillway::check {

/// The first element of a pattern in its memory.
struct Start {
  StoreId store = kSbufStore;
  bool linear = false;
  std::int64_t partition = 0;
  std::int64_t byte = 0;
};

/// The memories of an allocated function. DRAM tensors of the caller's have a memory each, and so
/// have PSUM and DRAM tensors that the placement leaves open.
class PlacedMemory {
 public:
  PlacedMemory(const Kernel& kernel, const Placement& placement);

  const Kernel& kernel() const { return *kernel_; }
  /// Whether every block of the tensor has a place.
  bool HasPlace(TensorId tensor) const { return tensors_[tensor.value].has_place; }
  /// Where block `block` of the tensor starts; nothing for a block that doesn't exist.
  std::optional<Start> BlockStart(TensorId tensor, std::int64_t block) const;
  std::optional<Start> StartOf(const Operand& operand,
                               std::span<const std::int64_t> loop_values) const;
  /// The bytes that the operand touches; `pattern` is PatternOf(kernel(), operand).
  StoreRegion RegionOf(const Operand& operand, const Runs& pattern, const Start& start) const;

 private:
  struct Entry {
    StoreId store = kSbufStore;
    bool linear = false;
    bool has_place = true;
    std::vector<Address> blocks;  ///< empty: one after the other
    std::int64_t block_count = 1;
    std::int64_t block_bytes = 0;  ///< from one block to the next, where `blocks` is empty
  };
  const Kernel* kernel_;
  std::vector<Entry> tensors_;
};

/// Patterns of more runs are known by their hull alone: a checker has to end on any input.
inline constexpr std::size_t kMaxPatternRuns = 65536;

/// The bytes that the operand touches in each partition, from its first element on.
Runs PatternOf(const Kernel& kernel, const Operand& operand);

/// The bytes of its block that the operand touches, and the block; of `kernel`'s tensor. `pattern`
/// is PatternOf(kernel, operand).
struct Touched {
  std::int64_t block = 0;
  PlaneSet bytes;
};
Touched TouchedBy(const Kernel& kernel, const Operand& operand, const Runs& pattern,
                  std::span<const std::int64_t> loop_values);

/// Whether the operand touches other bytes in other iterations.
bool DependsOnLoops(const Operand& operand);

}  // namespace spillway::check
