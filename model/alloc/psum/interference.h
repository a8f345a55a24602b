// Which PSUM tensors are alive together.
#pragma once

#include <vector>

#include "model/alloc/psum/bank_ranges.h"

namespace spillway::psum {

/// Neighbours of every node, ascending: two nodes interfere iff their lives share a point.
/// Source: colorer.md §3 (build).
IdVector<NodeId, std::vector<NodeId>> FindInterference(const IdVector<NodeId, BankRange>& ranges);

}  // namespace spillway::psum
