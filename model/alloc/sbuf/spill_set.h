// Which tensors to spill when select couldn't place everything.
#pragma once

#include <vector>

#include "model/alloc/sbuf/select.h"

namespace spillway {

/// The spillable tensors among the unplaced nodes, ascending. Where only unspillable nodes failed,
/// the spillable ones that are live together with them. Empty: spilling can't help.
/// Source: seed 003 §4 (spillset; the three ends of the fixpoint).
std::vector<TensorId> ChooseSpillSet(const IdVector<NodeId, Node>& nodes,
                                     const IdVector<TensorId, SpillCost>& costs,
                                     const Selection& selection);

/// "couldn't allocate every tensor in SB and spilling can't help", with the tensors that found no
/// place, their sizes and why they can't be spilled.
Error CannotAllocate(const Kernel& kernel, const IdVector<NodeId, Node>& nodes,
                     const IdVector<TensorId, SpillCost>& costs, const Selection& selection,
                     Bytes granule, Bytes capacity);

}  // namespace spillway
