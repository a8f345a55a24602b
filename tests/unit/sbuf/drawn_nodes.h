// Nodes as pictures: time runs to the right, one line a node.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/sbuf/intervals.h"
#include "model/alloc/sbuf/select.h"
#include "model/alloc/sbuf/simplify.h"
#include "model/alloc/sbuf/spill_costs.h"

namespace spillway {

/// A drawing with one line per node: a letter, the size in granules, the height, the life and the
/// spill cost ("inf" for unspillable), optionally "at" and the granule of a fixed node.
///
///   a 3 full  .####..  10
///   b 1 q32   ...##..  inf at 4
///
/// Heights: quad, q0, q32, q64, q96, half, h0, h64, full.
struct DrawnNodes {
  IdVector<NodeId, Node> nodes;
  IdVector<TensorId, SpillCost> costs;
  Partners partners;
  Kernel kernel;  ///< holds the names
  std::size_t points = 0;

  NodeId operator[](char name) const {
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      if (kernel.tensors[TensorId(t)].name[0] == name) return NodeId(t);
    }
    throw std::out_of_range("no such node in the drawing");
  }
  char NameOf(NodeId node) const { return kernel.tensors[nodes[node].tensor].name[0]; }
  std::string NamesOf(const std::vector<NodeId>& list) const {
    std::string names;
    for (const NodeId node : list) names += NameOf(node);
    return names;
  }
};

inline HeightClass DrawnHeight(const std::string& word) {
  constexpr std::array<std::string_view, kHeightClasses> kWords = {
      "quad", "q0", "q32", "q64", "q96", "half", "h0", "h64", "full"};
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (word == kWords[i]) return static_cast<HeightClass>(i);
  }
  throw std::invalid_argument("no such height: " + word);
}

inline DrawnNodes Draw(const std::string& text) {
  DrawnNodes drawn;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, height, life, cost, at;
    std::int64_t size = 0;
    if (!(words >> name >> size >> height >> life >> cost)) continue;
    Node node;
    node.tensor = TensorId(drawn.kernel.tensors.size());
    node.life = {PointId(life.find('#')), PointId(life.rfind('#') + 1)};
    node.size = Granules(size);
    node.height = DrawnHeight(height);
    std::int64_t lower = 0;
    if (words >> at >> lower) node.fixed = {lower, lower + size, BandsOf(node.height).front()};
    drawn.points = std::max(drawn.points, life.size());
    Tensor tensor;
    tensor.name = name;
    drawn.kernel.tensors.push_back(tensor);
    drawn.costs.push_back(cost == "inf" ? SpillCost::Unspillable(WhyUnspillable::kOneInstruction)
                                        : SpillCost::Finite(std::stod(cost)));
    drawn.nodes.push_back(node);
  }
  drawn.partners.of.resize(drawn.kernel.tensors.size());
  drawn.partners.base.resize(drawn.kernel.tensors.size());
  return drawn;
}

/// The memory at one point of time, quadrants from left to right, the highest granule on top.
inline std::string DrawMemory(const DrawnNodes& drawn, const Selection& selection,
                              std::int64_t capacity, std::size_t point) {
  std::vector<std::string> rows(static_cast<std::size_t>(capacity), "....");
  for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
    const std::optional<BandInterval>& place = selection.placed[NodeId(n)];
    if (!place || !drawn.nodes[NodeId(n)].life.Contains(PointId(point))) continue;
    for (std::int64_t g = place->lower; g < place->upper; ++g) {
      for (std::size_t q = 0; q < kQuadrants; ++q) {
        if ((place->band >> q & 1) != 0)
          rows.at(static_cast<std::size_t>(g))[q] = drawn.NameOf(NodeId(n));
      }
    }
  }
  std::string picture = "\n";
  for (std::size_t row = rows.size(); row-- > 0;) picture += rows[row] + "\n";
  return picture;
}

/// Simplifies and selects.
inline Selection Coloured(const DrawnNodes& drawn, std::int64_t capacity) {
  const auto residual = MakeResidualCapacity(drawn.nodes, drawn.points, Granules(capacity));
  const NodeStack stack =
      Simplify(drawn.nodes, drawn.costs, drawn.partners, *residual, SpillMetric::kCostPerOverload);
  return Select(drawn.kernel, drawn.nodes, drawn.costs, stack, Granules(capacity));
}

}  // namespace spillway
