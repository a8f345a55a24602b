// The order in which PSUM tensors get their banks.
#pragma once

#include <vector>

#include "model/alloc/psum/spill_costs.h"

namespace spillway::psum {

/// Push order; select pops `optimistic` from its back, then `definite` from its back.
struct NodeStack {
  std::vector<NodeId> definite;    ///< passed the degree test while no candidate had been pushed
  std::vector<NodeId> optimistic;  ///< from the first spill candidate on
};

/// Degree test: a node is SAFE if its banks and those of its remaining neighbours fit the memory.
/// SAFE drains first, fewest banks first; when it is empty, the candidate of least cost per missing
/// bank is pushed optimistically; unspillable nodes that never became safe come last, so that
/// select places them first. Fixed nodes are never pushed and never leave.
/// Source: colorer.md §5 (the test), seed 003 §2 (the worklists).
NodeStack Simplify(const IdVector<NodeId, BankRange>& ranges,
                   const IdVector<NodeId, std::vector<NodeId>>& neighbours,
                   const IdVector<NodeId, SpillCost>& costs, BankCount banks);

}  // namespace spillway::psum
