// Best of n: several orders of simplify and select, the cheapest set of spills kept.
#pragma once

#include <cstdint>

#include "model/alloc/sbuf/select.h"

namespace spillway {

/// One order of the nodes and what select made of it.
struct Colouring {
  NodeStack stack;
  Selection selection;
  std::int64_t attempt = 0;  ///< which of the orders, from 0
};

/// The cheapest of `attempts` colourings: fewest unspillable nodes without a place, then the lowest
/// score, then the earliest attempt. Attempt 0 is Simplify and Select as they stand; each later one
/// takes the next of the three metrics and sees every cost times its own factor in [1/2, 2], which
/// follows from the attempt and the tensor's number alone. Scores are by the true costs. Stops at
/// an attempt that places everything.
/// Contract: attempts >= 1; no node's life goes beyond `point_count`.
/// Source: seed 003 §3 (the driver perturbs the order and keeps the run with the lowest heuristic;
/// how it perturbs is this project's).
Colouring ColourBest(const Kernel& kernel, const IdVector<NodeId, Node>& nodes,
                     const IdVector<TensorId, SpillCost>& costs, const Partners& partners,
                     std::size_t point_count, Granules capacity, SpillMetric metric,
                     std::int64_t attempts);

}  // namespace spillway
