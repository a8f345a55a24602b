// Who is live together with whom, and how full the memory is at each point.
#pragma once

#include <array>
#include <vector>

#include "model/alloc/sbuf/intervals.h"

namespace spillway {

/// The explicit graph: an edge wherever two lives overlap. Geometry isn't in the edge; it is in
/// `Impact`. The colourer works without it; it is the reference that tests compare with.
struct InterferenceGraph {
  IdVector<NodeId, std::vector<NodeId>> neighbors;  ///< ascending
};
InterferenceGraph BuildInterference(const IdVector<NodeId, Node>& nodes);

/// Bytes that are live per quadrant, over time. A tensor that may lie in any of several bands
/// counts with its share of each.
struct PressureProfile {
  std::array<Bytes, kQuadrants> peak_quadrant_bytes{};  ///< most that is live in each quadrant
  Bytes peak_bytes;           ///< largest sum of live block sizes at one point, over all heights
  PointId peak_point;         ///< where that is
  double demand_percent = 0;  ///< the fullest quadrant's peak, of the capacity
};
/// Source: colorer.md §3 (build).
PressureProfile FindPressure(const IdVector<NodeId, Node>& nodes, std::size_t point_count,
                             Bytes granule, Bytes capacity);

}  // namespace spillway
