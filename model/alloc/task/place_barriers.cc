#include "model/alloc/task/place_barriers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/hw/fault.h"
#include "model/hw/units.h"

namespace spillway::task {
namespace {

BarrierCount ToChunk(BarrierCount count) {
  return BarrierCount(RoundUp(count.value, kBarrierChunk.value));
}

}  // namespace

BarrierLayout PlaceBarriers(std::span<const BarrierAllocation> allocations) {
  BarrierLayout layout;
  for (const BarrierAllocation& allocation : allocations) {
    layout.entries.push_back({allocation.name, {}, allocation.count, allocation.arrivals});
  }
  BarrierCount cursor;
  for (const BarrierClass layout_class : {BarrierClass::kV0, BarrierClass::kV1}) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < allocations.size(); ++i) {
      if (allocations[i].layout_class == layout_class) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return allocations[a].arrivals < allocations[b].arrivals;
    });
    cursor = ToChunk(cursor);
    bool first = true;  // of its class: a run never spans two classes
    for (const std::size_t i : order) {
      BarrierEntry& entry = layout.entries[i];
      entry.offset = BarrierIndex(cursor.value);
      const bool same_run = !first && layout.runs.back().arrivals == entry.arrivals;
      first = false;
      cursor += SPILLWAY_FAULT(D12, entry.count, entry.count - BarrierCount(1));
      if (same_run) {
        layout.runs.back().end = entry.offset + entry.count;
      } else {
        layout.runs.push_back({entry.offset, entry.offset + entry.count, entry.arrivals});
      }
      layout.used = std::max(layout.used, cursor);
    }
    cursor = ToChunk(cursor);
  }
  layout.padded = cursor;
  return layout;
}

}  // namespace spillway::task
