// Gives nodes their banks, in the order of the stack.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/psum/simplify.h"

namespace spillway::psum {

struct Selection {
  IdVector<NodeId, std::optional<BankId>> base;  ///< first of the node's consecutive banks
  std::vector<NodeId> unplaced;                  ///< in the order in which they failed
};

/// Pops the stack and gives each node the lowest run of banks that no placed neighbour holds. Fixed
/// nodes hold their banks from the start and have no base.
/// Source: colorer.md §5.
Selection Select(const IdVector<NodeId, BankRange>& ranges,
                 const IdVector<NodeId, std::vector<NodeId>>& neighbours, const NodeStack& stack,
                 BankCount banks);

/// Nodes to spill so that the unplaced ones fit: those themselves where they are spillable, else
/// the cheapest spillable neighbour of each. Ascending; empty if spilling can't help.
std::vector<NodeId> ChooseSpillSet(const IdVector<NodeId, std::vector<NodeId>>& neighbours,
                                   const IdVector<NodeId, SpillCost>& costs,
                                   const Selection& selection);

}  // namespace spillway::psum
