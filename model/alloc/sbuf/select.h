// Pops the node stack and gives every node a rectangle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/sbuf/free_intervals.h"
#include "model/alloc/sbuf/intervals.h"
#include "model/alloc/sbuf/simplify.h"

namespace spillway {

struct Selection {
  IdVector<NodeId, std::optional<BandInterval>> placed;  ///< in granules
  std::vector<NodeId> unplaced;                          ///< in the order in which they failed
  double score = 0;                                      ///< sum of the spill costs of the unplaced
  std::vector<std::string> notes;  ///< "infinite node <name>" for unplaced unspillable nodes
};

/// Where the walks start: the memory is split into a low band, which small nodes fill from the
/// bottom, and a high band, which large nodes fill from the top. Seven numbers, in granules: the
/// size up to which a node is small, and per pool (tall, medium, short) the top of the low band and
/// the bottom of the high band. Nodes that fit in neither window search the whole memory.
/// Source: seed 003 §3 (the seven rolling watermarks; their exact use is this project's).
struct Watermarks {
  std::int64_t small_size = 0;
  std::array<std::int64_t, 3> low_top{};
  std::array<std::int64_t, 3> high_bottom{};

  /// For the optimistic part: 1/48, 3/4 and the whole of the capacity.
  static Watermarks Seed(std::int64_t capacity);
  /// At the boundary to the definite part: 1/4, 1/2 and the whole.
  static Watermarks Reseed(std::int64_t capacity);
};

/// Places nodes in reverse push order by first fit in the pools of their height class: first what
/// narrower tensors left over, then successively wider pools. Each placement is reserved for the
/// next. Fixed nodes are reserved from the start. Nodes beyond the capacity or without a free
/// rectangle are reported, never forced.
/// Contract: no two placed nodes that are live together intersect; "in sb_select, a bad allocation"
/// is thrown otherwise.
/// Source: seed 003 §3.
Selection Select(const Kernel& kernel, const IdVector<NodeId, Node>& nodes,
                 const IdVector<TensorId, SpillCost>& costs, const NodeStack& stack,
                 Granules capacity);

}  // namespace spillway
