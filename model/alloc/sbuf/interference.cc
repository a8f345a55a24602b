#include "model/alloc/sbuf/interference.h"

#include <algorithm>

#include "model/alloc/sbuf/live_interval_index.h"
#include "model/hw/fault.h"

namespace spillway {

InterferenceGraph BuildInterference(const IdVector<NodeId, Node>& nodes) {
  InterferenceGraph graph;
  graph.neighbors.resize(nodes.size());
  LiveIntervalIndex index(nodes);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    index.ForEachOverlapping(nodes[NodeId(n)].life, [&](NodeId other) {
      graph.neighbors[NodeId(n)].push_back(other);
      if (SPILLWAY_FAULT(A11, true, fault::variant != 1)) {
        graph.neighbors[other].push_back(NodeId(n));
      }
    });
    index.Activate(NodeId(n));
  }
  for (std::vector<NodeId>& list : graph.neighbors) std::sort(list.begin(), list.end());
  return graph;
}

PressureProfile FindPressure(const IdVector<NodeId, Node>& nodes, std::size_t point_count,
                             Bytes granule, Bytes capacity) {
  // Twelfths of a granule: a quadrant tensor gives each of four bands a quarter, a half one a half.
  constexpr std::int64_t kParts = 12;
  std::vector<std::array<std::int64_t, kQuadrants>> change(point_count + 1);
  std::vector<std::int64_t> change_of_sum(point_count + 1, 0);
  for (const Node& node : nodes) {
    const auto bands = BandsOf(node.height);
    const std::int64_t share = node.size.value * kParts / static_cast<std::int64_t>(bands.size());
    for (const QuadrantMask band : bands) {
      for (std::size_t q = 0; q < kQuadrants; ++q) {
        if ((band >> q & 1) == 0) continue;
        change[node.life.begin.value][q] += share;
        change[node.life.end.value][q] -= share;
      }
    }
    change_of_sum[node.life.begin.value] += node.size.value;
    change_of_sum[node.life.end.value] -= node.size.value;
  }
  PressureProfile profile;
  std::array<std::int64_t, kQuadrants> live{};
  std::int64_t sum = 0;
  std::int64_t fullest = 0;
  for (std::size_t p = 0; p < point_count; ++p) {
    sum += change_of_sum[p];
    if (granule * sum > profile.peak_bytes) {
      profile.peak_bytes = granule * sum;
      profile.peak_point = PointId(p);
    }
    for (std::size_t q = 0; q < kQuadrants; ++q) {
      live[q] += change[p][q];
      const Bytes bytes((live[q] * granule.value + kParts - 1) / kParts);
      profile.peak_quadrant_bytes[q] = std::max(profile.peak_quadrant_bytes[q], bytes);
      fullest = std::max(fullest, bytes.value);
    }
  }
  if (capacity.value > 0) {
    profile.demand_percent =
        100.0 * static_cast<double>(fullest) / static_cast<double>(capacity.value);
  }
  return profile;
}

}  // namespace spillway
