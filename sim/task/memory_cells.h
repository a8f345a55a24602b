// Memory cut into the pieces that accesses can tell apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/alloc/task/program.h"
#include "model/hw/error.h"

namespace spillway::task {

/// A rectangle of one space that every access touches whole or not at all.
struct MemoryCell {
  MemorySpace space = MemorySpace::kSmem;
  Interval<UnitOffset> range;
  Interval<Partition> partitions;
  friend bool operator==(const MemoryCell&, const MemoryCell&) = default;
};

/// Cells that memory may be cut into, and cells that all ranges may have together: a bound on
/// memory.
inline constexpr std::size_t kMaxCells = 2'000'000;
inline constexpr std::size_t kMaxCellsOfRanges = 20'000'000;

/// The granules of the shadow memory. Memory is cut at the borders of all ranges that the program
/// touches, so that they are as coarse as exactness allows, also where a range ends within 4 bytes.
/// Source: ts_pipelines.md §9, engine 4.
class MemoryCells {
 public:
  /// Errors: limit (kLimit) beyond kMaxCells or kMaxCellsOfRanges.
  static Result<MemoryCells> Cut(const Program& program);

  std::size_t size() const { return cells_.size(); }
  const MemoryCell& operator[](std::uint32_t cell) const { return cells_[cell]; }
  /// Those of a resource in one slot, ascending; empty where no access touches that slot.
  std::span<const std::uint32_t> Of(ResourceId resource, std::uint32_t slot) const;

 private:
  std::vector<MemoryCell> cells_;
  std::vector<std::uint32_t> touched_;
  /// By slot: [begin, end) in touched_.
  IdVector<ResourceId, std::vector<std::pair<std::size_t, std::size_t>>> of_slot_;
};

}  // namespace spillway::task
