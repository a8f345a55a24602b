// The geometric degree test: how many places a node keeps whatever its remaining neighbours do.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "model/alloc/sbuf/interference.h"
#include "model/alloc/sbuf/intervals.h"

namespace spillway {

/// cap(n) = PossiblePlacements(n) - sum over n's remaining neighbours of Impact. Above zero, n
/// finds a place wherever those neighbours lie. Fixed nodes are neighbours that are never removed.
/// Source: seed 003 §2.
class ResidualCapacity {
 public:
  virtual ~ResidualCapacity() = default;
  virtual std::int64_t Of(NodeId node) const = 0;
  /// Number of remaining neighbours.
  virtual std::int64_t DegreeOf(NodeId node) const = 0;
  /// Takes `node` out of the graph, once.
  virtual void Remove(NodeId node) = 0;
};

/// Without a graph: Impact is a class table times an affine size term, so per neighbour class only
/// the count and the sum of sizes over the node's life matter. Neighbours are those that began
/// before its end less those that ended before its start: two Fenwick trees per class, under
/// removal. O(classes * log points) a query, whatever the number of edges.
/// Source: allocators.md §7 (derived there; equal to the explicit graph on lives of one interval).
std::unique_ptr<ResidualCapacity> MakeResidualCapacity(const IdVector<NodeId, Node>& nodes,
                                                       std::size_t point_count, Granules capacity);

/// The reference: walks the explicit graph.
std::unique_ptr<ResidualCapacity> MakeExplicitResidualCapacity(const IdVector<NodeId, Node>& nodes,
                                                               InterferenceGraph graph,
                                                               Granules capacity);

}  // namespace spillway
