// How much of its window a stack manager used, and how much of that was waste.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/nki/tile.h"

namespace spillway::nki {

/// Figures since the manager was made. "Peak" is the first moment with the largest combined usage.
struct StackStatistics {
  Bytes window;        ///< per partition
  Bytes max_stack;     ///< window's start to the stack cursor
  Bytes max_heap;      ///< heap cursor to the window's end
  Bytes max_combined;  ///< of both at one moment
  std::int64_t stack_tiles = 0;
  std::int64_t heap_tiles = 0;
  /// Bytes x partitions between the cursors' ends and their bounds at the peak that no tile held:
  /// tiles shorter than the memory, gaps of alignment, and what sections keep free.
  std::int64_t unused_byte_partitions = 0;
  /// Bytes of tiles in the fullest partition at the peak. An allocator that packs in two dimensions
  /// and keeps the base partitions needs at least that much, so `max_combined` less this is what it
  /// can win. Source: nki_kernels_and_issues.md 3.2, A5.
  Bytes fullest_partition;

  /// The library's line: "[title] SB memory statistics: max_usage=… B (…%), free=… B, …", and one
  /// about the waste. Source: nki_kernels_and_issues.md 3.1.
  std::string ToText(const std::string& title) const;

  friend bool operator==(const StackStatistics&, const StackStatistics&) = default;
};

/// Counts the tiles that hold bytes at a moment.
class TileLedger {
 public:
  TileLedger(Bytes window, PartitionCount partitions);

  /// `base` is the tile's place though it may not be pinned. `stack` and `heap` are the usages with
  /// the tile.
  void Add(const TileAllocation& tile, const Address& base, Bytes stack, Bytes heap);
  /// The stack's cursor went down to `cursor`: what ends above it holds nothing any more.
  void LowerStack(ByteOffset cursor);
  void PopHeap();
  /// The cursors moved without a tile.
  void Moved(Bytes stack, Bytes heap);

  const StackStatistics& statistics() const { return statistics_; }
  /// The `most` largest tiles, "stack 'q' 512 B @ 0, heap 'k' 256 B @ 768"; "none" without tiles.
  std::string LargestHolders(std::size_t most) const;

 private:
  struct Held {
    std::string name;
    Rectangle place;
    TileRegion region;
  };
  void Count(const Held& held, std::int64_t sign);

  StackStatistics statistics_;
  PartitionCount partitions_;
  std::vector<Held> stack_;
  std::vector<Held> heap_;
  std::vector<std::int64_t> bytes_of_;  // by partition
  std::int64_t area_ = 0;
};

}  // namespace spillway::nki
