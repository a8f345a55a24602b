#include "model/alloc/nki/stack_statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::nki {

std::string StackStatistics::ToText(const std::string& title) const {
  const std::int64_t percent = window.value == 0 ? 0 : max_combined.value * 100 / window.value;
  return fmt::format(
      "[{0}] SB memory statistics: max_usage={1} B ({2}%), free={3} B, stack={4} B ({5} allocs), "
      "heap={6} B ({7} allocs)\n"
      "[{0}] SB memory waste: {8} byte-partitions unused at the peak, fullest partition {9} B\n",
      title, max_combined.value, percent, (window - max_combined).value, max_stack.value,
      stack_tiles, max_heap.value, heap_tiles, unused_byte_partitions, fullest_partition.value);
}

TileLedger::TileLedger(Bytes window, PartitionCount partitions)
    : partitions_(partitions), bytes_of_(static_cast<std::size_t>(partitions.value), 0) {
  statistics_.window = window;
}

void TileLedger::Count(const Held& held, std::int64_t sign) {
  const std::int64_t bytes = sign * (held.place.bytes.end - held.place.bytes.begin).value;
  for (Partition p = held.place.partitions.begin; p < held.place.partitions.end;
       p = p + PartitionCount(1)) {
    // A tile that reaches past the memory was refused before it came here.
    const auto index = static_cast<std::size_t>(p.value);
    if (index < bytes_of_.size()) bytes_of_[index] += bytes;
  }
  area_ += bytes * (held.place.partitions.end - held.place.partitions.begin).value;
}

void TileLedger::Moved(Bytes stack, Bytes heap) {
  statistics_.max_stack = std::max(statistics_.max_stack, stack);
  statistics_.max_heap = std::max(statistics_.max_heap, heap);
  if (stack + heap <= statistics_.max_combined) return;
  statistics_.max_combined = stack + heap;
  statistics_.unused_byte_partitions = (stack + heap).value * partitions_.value - area_;
  statistics_.fullest_partition = Bytes(*std::max_element(bytes_of_.begin(), bytes_of_.end()));
}

void TileLedger::Add(const TileAllocation& tile, const Address& base, Bytes stack, Bytes heap) {
  const PartitionCount height(tile.shape.front());
  const Held held{tile.name,
                  {{base.partition, base.partition + height}, {base.byte, base.byte + tile.bytes}},
                  tile.region};
  Count(held, 1);
  if (tile.region == TileRegion::kHeap) {
    heap_.push_back(held);
    ++statistics_.heap_tiles;
  } else {
    stack_.push_back(held);
    ++statistics_.stack_tiles;
  }
  Moved(stack, heap);
}

void TileLedger::LowerStack(ByteOffset cursor) {
  while (!stack_.empty() && stack_.back().place.bytes.end > cursor) {
    Count(stack_.back(), -1);
    stack_.pop_back();
  }
}

void TileLedger::PopHeap() {
  SPILLWAY_CHECK(!heap_.empty(), "the heap holds a tile");
  Count(heap_.back(), -1);
  heap_.pop_back();
}

std::string TileLedger::LargestHolders(std::size_t most) const {
  std::vector<Held> held = stack_;
  held.insert(held.end(), heap_.begin(), heap_.end());
  const auto bytes = [](const Held& h) { return h.place.bytes.end - h.place.bytes.begin; };
  std::stable_sort(held.begin(), held.end(),
                   [&](const Held& a, const Held& b) { return bytes(a) > bytes(b); });
  if (held.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(most, held.size()); ++i) {
    text += fmt::format("{}{} '{}' {} B @ {}", i == 0 ? "" : ", ",
                        held[i].region == TileRegion::kHeap ? "heap" : "stack",
                        held[i].name.empty() ? "(unnamed)" : held[i].name, bytes(held[i]).value,
                        held[i].place.bytes.begin.value);
  }
  return text;
}

}  // namespace spillway::nki
