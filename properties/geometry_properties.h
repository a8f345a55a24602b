// What must hold for the geometric degree test and the graph that it does without.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/sbuf/colour_best.h"
#include "model/alloc/sbuf/intervals.h"

namespace spillway {

/// A node, its neighbours and a memory, all small.
struct Neighborhood {
  Granules capacity;
  Node node;
  std::vector<Node> neighbors;
};

/// From any bytes: a memory of 1 to 6 granules, a node and up to three neighbours of all classes.
Neighborhood DecodeNeighborhood(std::span<const std::uint8_t> bytes);

struct SoundnessVerdict {
  std::optional<std::string> fault;
  std::int64_t residual = 0;
  bool always_has_a_place = false;  ///< whatever legal places the neighbours take
};

/// The theorem behind simplify: where K less all impacts is above 0, the node has a free place
/// wherever its neighbours lie. Tries every placement of the neighbours, overlapping ones among
/// themselves included. `always_has_a_place` without a residual above 0 is where the test is only
/// conservative.
/// Source: colorer.md §2; Smith, Ramsey and Holloway 2004.
SoundnessVerdict CheckGeometricDegree(const Neighborhood& neighborhood);

/// Nodes with random lives, sizes, classes and costs; some of them fixed.
struct NodeSet {
  IdVector<NodeId, Node> nodes;
  std::vector<std::int64_t> costs;  ///< by node; negative: unspillable
  std::vector<NodeId> removals;     ///< in this order
  std::size_t points = 0;
  Granules capacity;
};
NodeSet DecodeNodeSet(std::span<const std::uint8_t> bytes);

/// The residual capacity without a graph equals the explicit graph's, for every node, before and
/// after every removal; and simplify makes the same stack from either, with every metric. Nothing
/// where that holds.
/// Source: allocators.md §7.
std::optional<std::string> CheckGraphFreeResidual(const NodeSet& set);

/// Replays the stack of simplify, with every metric, against the rules: while some remaining node
/// has a residual above 0, the smallest such node by area goes; otherwise the spillable node with
/// the smallest ratio. Residuals are counted anew from all pairs at each step. Nothing where the
/// stack follows the rules. What comes when only unspillable nodes are left isn't judged. Source:
/// seed 003 §2.
std::optional<std::string> CheckSimplifyOrder(const NodeSet& set);

/// What is to be spilled, counted pair by pair: the spillable tensors without a place, or, where
/// only unspillable ones have none, every spillable one that lives together with one of those,
/// wherever it lies, since nobody knows where room will be. Nothing where that holds. Source: seed
/// 003 §4.
std::optional<std::string> CheckSpillSet(const NodeSet& set);

/// Of nodes that are simplified and selected: those of the definite part all get places, no two
/// placed nodes that are live together intersect, and everything is pushed once.
std::optional<std::string> CheckColouring(const NodeSet& set);

/// What ColourBest keeps of `attempts` orders, at least 1.
Colouring BestOf(const NodeSet& set, std::int64_t attempts);

/// Of several orders the cheapest is kept: what one more attempt keeps is never dearer, by the
/// costs of its nodes without a place added up here, and with one attempt it is Simplify and Select
/// as they stand. Nothing where that holds. Source: verification.md §4 (best-of-n).
std::optional<std::string> CheckBestOf(const NodeSet& set);

}  // namespace spillway
