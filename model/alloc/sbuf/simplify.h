// The order in which nodes get their places.
#pragma once

#include <vector>

#include "model/alloc/sbuf/find_partners.h"
#include "model/alloc/sbuf/intervals.h"
#include "model/alloc/sbuf/residual_capacity.h"
#include "model/alloc/sbuf/spill_costs.h"

namespace spillway {

/// Which spill candidate leaves first: the one with the smallest ratio. Degree is the geometric
/// overload 1 - cap, at least 1 for every node that isn't trivially colourable. (The seed prints
/// cost / cap; cap is at most 0 there, so that the ratio as printed would prefer the dearest.)
enum class SpillMetric {
  kCostPerOverload = 0,
  kCostPerSquaredOverload = 1,
  kCostPerSquaredDegree = 2,  ///< degree counts remaining neighbours
};

/// Push order; select pops `optimistic` from its back, then `definite` from its back.
struct NodeStack {
  std::vector<NodeId> definite;       ///< trivially colourable: each has a place for certain
  std::vector<NodeId> optimistic;     ///< from the first spill candidate on
  std::int64_t spill_candidates = 0;  ///< how many were pushed against the degree test
};

/// Three worklists: SAFE (cap > 0), UNSAFE (finite cost), INFINITE (unspillable). SAFE drains
/// first, smallest area first; when it is empty the cheapest UNSAFE node is pushed optimistically;
/// INFINITE nodes that never became safe come last, so that select places them first, each with its
/// partners behind it. Fixed nodes are never pushed.
/// Source: seed 003 §2.
NodeStack Simplify(const IdVector<NodeId, Node>& nodes, const IdVector<TensorId, SpillCost>& costs,
                   const Partners& partners, ResidualCapacity& capacity, SpillMetric metric);

}  // namespace spillway
