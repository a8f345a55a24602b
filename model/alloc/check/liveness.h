// When a tensor's bytes matter: the checker's own liveness, from nothing but the accesses.
#pragma once

#include <vector>

#include "model/alloc/check/access_tree.h"

namespace spillway::check {

/// The stretches of points at which blocks of a tensor must keep their bytes: ascending, disjoint,
/// not touching. Both ends belong to a stretch: [definition, last use + 1).
struct BlockLife {
  TensorId tensor;
  std::vector<std::int64_t> blocks;  ///< row-major, ascending; several: loops choose among them
  std::vector<Interval<PointId>> stretches;
};

/// The lives of `tensor`: one a block where every access names its block by a constant, else one
/// for all the blocks that the same accesses may touch.
///
/// A byte is alive between two points if something may have written it before and something may
/// read it after, before it is certainly overwritten; a block is alive while one of its bytes is,
/// and at every access to it: a write that nobody reads still destroys what lies there. A loop's
/// back edge leads from its terminator to its header. Writes under a predicate overwrite for reads
/// under the same predicates alone.
/// Source: colorer.md §3; derived: data flow over the loop tree, to the byte.
std::vector<BlockLife> LivesOf(const LinearKernel& linear, TensorId tensor);

}  // namespace spillway::check
