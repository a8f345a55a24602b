// What an instruction touches in each of its instances, with the patterns worked out once.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"

namespace spillway::nki {

/// One read or write of an instance: some partitions of a block and, in each, the same bytes.
struct TileTouch {
  TensorId tensor;
  std::int64_t block = 0;  ///< row-major; -1: any block
  bool is_write = false;
  bool is_exact = true;  ///< false: perhaps not all of it is touched
  Interval<Partition> partitions;
  Bytes shift;                                              ///< of all runs
  const std::vector<Interval<ByteOffset>>* runs = nullptr;  ///< ascending, from the block's start
};

/// Run `run` of the touch where its block lies at `at`.
Rectangle RectangleOfRun(const TileTouch& touch, std::size_t run, const Address& at);
/// The first bytes that two touches share where their blocks lie at these addresses.
std::optional<Rectangle> FirstShared(const TileTouch& a, const Address& at_a, const TileTouch& b,
                                     const Address& at_b);

/// The on-chip accesses of one instruction; reads first, then writes. `kernel` and `instruction`
/// must outlive this, and the touches that it gives need it.
class TileFootprints {
 public:
  TileFootprints(const Kernel& kernel, const Instruction& instruction);

  /// Appends the touches at these loop values.
  void Append(std::span<const std::int64_t> loop_values, std::vector<TileTouch>& touches) const;

 private:
  struct Pattern {
    Access access;
    std::vector<Interval<ByteOffset>> runs;  ///< from the first element on
    bool is_exact = true;
    Bytes element;
  };

  const Kernel* kernel_;
  std::vector<Pattern> patterns_;
};

}  // namespace spillway::nki
