#include "properties/geometry_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "model/alloc/sbuf/colour_best.h"
#include "model/alloc/sbuf/interference.h"
#include "model/alloc/sbuf/residual_capacity.h"
#include "model/alloc/sbuf/select.h"
#include "model/alloc/sbuf/simplify.h"
#include "model/alloc/sbuf/spill_set.h"

namespace spillway {
namespace {

/// Bytes one after the other, then zeros.
class ByteStream {
 public:
  explicit ByteStream(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::int64_t Below(std::int64_t bound) {
    const std::int64_t value = at_ < bytes_.size() ? bytes_[at_] : 0;
    ++at_;
    return value % bound;
  }
  bool empty() const { return at_ >= bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

Node DecodeNode(ByteStream& stream, std::int64_t largest) {
  Node node;
  node.height = static_cast<HeightClass>(stream.Below(kHeightClasses));
  node.size = Granules(1 + stream.Below(largest));
  return node;
}

std::vector<BandInterval> Places(const Node& node, std::int64_t capacity) {
  std::vector<BandInterval> places;
  for (const QuadrantMask band : BandsOf(node.height)) {
    for (std::int64_t lower = 0; lower + node.size.value <= capacity; ++lower) {
      places.push_back({lower, lower + node.size.value, band});
    }
  }
  return places;
}

bool Meet(const BandInterval& a, const BandInterval& b) {
  return (a.band & b.band) != 0 && a.lower < b.upper && b.lower < a.upper;
}

/// Whether some placement of neighbours from `next` on leaves no free place.
bool CanBeShutOut(const Neighborhood& hood, std::size_t next, std::vector<BandInterval> free) {
  if (free.empty()) return true;
  if (next == hood.neighbors.size()) return false;
  for (const BandInterval& taken : Places(hood.neighbors[next], hood.capacity.value)) {
    std::vector<BandInterval> left;
    std::copy_if(free.begin(), free.end(), std::back_inserter(left),
                 [&](const BandInterval& place) { return !Meet(place, taken); });
    if (CanBeShutOut(hood, next + 1, std::move(left))) return true;
  }
  return false;
}

IdVector<TensorId, SpillCost> CostsOf(const NodeSet& set) {
  IdVector<TensorId, SpillCost> costs;
  for (const std::int64_t cost : set.costs) {
    costs.push_back(cost < 0 ? SpillCost::Unspillable(WhyUnspillable::kOneInstruction)
                             : SpillCost::Finite(static_cast<double>(cost)));
  }
  return costs;
}

Partners NoPartners(const NodeSet& set) {
  Partners partners;
  partners.of.resize(set.nodes.size());
  partners.base.resize(set.nodes.size());
  return partners;
}

Kernel KernelOf(const NodeSet& set) {
  Kernel kernel;
  for (std::size_t n = 0; n < set.nodes.size(); ++n) {
    Tensor tensor;
    tensor.name = fmt::format("n{}", n);
    kernel.tensors.push_back(tensor);
  }
  return kernel;
}

template <class Visit>
void ForEachNeighbor(const NodeSet& set, const std::vector<bool>& remains, NodeId node,
                     Visit visit) {
  for (std::size_t m = 0; m < set.nodes.size(); ++m) {
    if (NodeId(m) == node || !remains[m]) continue;
    if (Overlap(set.nodes[NodeId(m)].life, set.nodes[node].life)) visit(set.nodes[NodeId(m)]);
  }
}

std::int64_t CapOf(const NodeSet& set, const std::vector<bool>& remains, NodeId n) {
  const Node& node = set.nodes[n];
  std::int64_t cap = PossiblePlacements(node.height, node.size, set.capacity);
  ForEachNeighbor(set, remains, n, [&](const Node& neighbor) {
    cap -= Impact(node.height, node.size, neighbor.height, neighbor.size);
  });
  return cap;
}

double RatioOf(const NodeSet& set, const std::vector<bool>& remains, NodeId n, SpillMetric metric) {
  std::int64_t neighbors = 0;
  ForEachNeighbor(set, remains, n, [&](const Node&) { ++neighbors; });
  const auto overload = static_cast<double>(1 - CapOf(set, remains, n));
  const auto degree = static_cast<double>(neighbors + 1);
  const auto cost = static_cast<double>(set.costs[n.value]);
  if (metric == SpillMetric::kCostPerOverload) return cost / overload;
  return metric == SpillMetric::kCostPerSquaredOverload ? cost / (overload * overload)
                                                        : cost / (degree * degree);
}

/// Nothing where only unspillable nodes that aren't safe are left.
std::optional<NodeId> NextToPush(const NodeSet& set, const std::vector<bool>& remains,
                                 SpillMetric metric) {
  std::optional<NodeId> safe;
  std::optional<NodeId> candidate;
  for (std::size_t i = 0; i < set.nodes.size(); ++i) {
    const NodeId n(i);
    if (!remains[i] || set.nodes[n].fixed) continue;
    if (CapOf(set, remains, n) > 0) {
      if (!safe || set.nodes[n].Area() < set.nodes[*safe].Area()) safe = n;
    } else if (set.costs[i] >= 0 && (!candidate || RatioOf(set, remains, n, metric) <
                                                       RatioOf(set, remains, *candidate, metric))) {
      candidate = n;
    }
  }
  return safe ? safe : candidate;
}

}  // namespace

Neighborhood DecodeNeighborhood(std::span<const std::uint8_t> bytes) {
  ByteStream stream(bytes);
  Neighborhood hood;
  hood.capacity = Granules(1 + stream.Below(6));
  hood.node = DecodeNode(stream, 3);
  const std::int64_t count = stream.Below(4);
  for (std::int64_t n = 0; n < count; ++n) {
    Node neighbor = DecodeNode(stream, 3);
    // One that fits nowhere is never placed, and so is no neighbour.
    if (neighbor.size <= hood.capacity) hood.neighbors.push_back(neighbor);
  }
  return hood;
}

SoundnessVerdict CheckGeometricDegree(const Neighborhood& hood) {
  SoundnessVerdict verdict;
  verdict.residual = PossiblePlacements(hood.node.height, hood.node.size, hood.capacity);
  for (const Node& neighbor : hood.neighbors) {
    verdict.residual -= Impact(hood.node.height, hood.node.size, neighbor.height, neighbor.size);
  }
  verdict.always_has_a_place = !CanBeShutOut(hood, 0, Places(hood.node, hood.capacity.value));
  if (verdict.residual > 0 && !verdict.always_has_a_place) {
    verdict.fault = fmt::format("residual {} but no place left", verdict.residual);
  }
  return verdict;
}

NodeSet DecodeNodeSet(std::span<const std::uint8_t> bytes) {
  ByteStream stream(bytes);
  NodeSet set;
  set.capacity = Granules(4 + stream.Below(24));
  set.points = static_cast<std::size_t>(4 + stream.Below(20));
  std::int64_t fixed_end = 0;
  while (!stream.empty()) {
    Node node = DecodeNode(stream, 6);
    node.tensor = TensorId(set.nodes.size());
    const auto begin =
        static_cast<std::size_t>(stream.Below(static_cast<std::int64_t>(set.points)));
    const auto length = static_cast<std::size_t>(1 + stream.Below(6));
    node.life = {PointId(begin), PointId(std::min(begin + length, set.points))};
    set.costs.push_back(stream.Below(12) - 2);
    if (stream.Below(8) == 7 && BandsOf(node.height).size() == 1) {
      node.fixed = {fixed_end, fixed_end + node.size.value, BandsOf(node.height).front()};
      fixed_end += node.size.value;
      set.costs.back() = -1;
    }
    const NodeId id = set.nodes.push_back(node);
    if (!node.fixed) set.removals.push_back(id);
  }
  // Some order that is neither up nor down.
  std::stable_sort(set.removals.begin(), set.removals.end(), [](NodeId a, NodeId b) {
    return a.value * 7919u % 101u < b.value * 7919u % 101u;
  });
  return set;
}

std::optional<std::string> CheckGraphFreeResidual(const NodeSet& set) {
  const auto graph_free = MakeResidualCapacity(set.nodes, set.points, set.capacity);
  const auto with_graph =
      MakeExplicitResidualCapacity(set.nodes, BuildInterference(set.nodes), set.capacity);
  for (std::size_t step = 0; step <= set.removals.size(); ++step) {
    for (std::size_t n = 0; n < set.nodes.size(); ++n) {
      const NodeId node(n);
      if (graph_free->Of(node) != with_graph->Of(node)) {
        return fmt::format("node {}: {} without a graph, {} with it, after {} removals", n,
                           graph_free->Of(node), with_graph->Of(node), step);
      }
      if (graph_free->DegreeOf(node) != with_graph->DegreeOf(node)) {
        return fmt::format("node {}: two degrees after {} removals", n, step);
      }
    }
    if (step == set.removals.size()) break;
    graph_free->Remove(set.removals[step]);
    with_graph->Remove(set.removals[step]);
  }
  const auto costs = CostsOf(set);
  for (const SpillMetric metric :
       {SpillMetric::kCostPerOverload, SpillMetric::kCostPerSquaredOverload,
        SpillMetric::kCostPerSquaredDegree}) {
    const auto a = MakeResidualCapacity(set.nodes, set.points, set.capacity);
    const auto b =
        MakeExplicitResidualCapacity(set.nodes, BuildInterference(set.nodes), set.capacity);
    const NodeStack stack_a = Simplify(set.nodes, costs, NoPartners(set), *a, metric);
    const NodeStack stack_b = Simplify(set.nodes, costs, NoPartners(set), *b, metric);
    if (stack_a.definite != stack_b.definite || stack_a.optimistic != stack_b.optimistic) {
      return fmt::format("metric {}: two stacks", static_cast<int>(metric));
    }
  }
  return std::nullopt;
}

std::optional<std::string> CheckSimplifyOrder(const NodeSet& set) {
  for (const SpillMetric metric :
       {SpillMetric::kCostPerOverload, SpillMetric::kCostPerSquaredOverload,
        SpillMetric::kCostPerSquaredDegree}) {
    const auto residual = MakeResidualCapacity(set.nodes, set.points, set.capacity);
    const NodeStack stack = Simplify(set.nodes, CostsOf(set), NoPartners(set), *residual, metric);
    std::vector<bool> remains(set.nodes.size(), true);
    for (std::size_t at = 0; at < stack.definite.size() + stack.optimistic.size(); ++at) {
      const bool definite = at < stack.definite.size();
      const NodeId pushed =
          definite ? stack.definite[at] : stack.optimistic[at - stack.definite.size()];
      const std::optional<NodeId> expected = NextToPush(set, remains, metric);
      if (!expected && !definite) break;
      if (expected != pushed) {
        return fmt::format("metric {}, step {}: node {} pushed, node {} expected",
                           static_cast<int>(metric), at, pushed.value,
                           expected ? expected->value : pushed.value);
      }
      const bool at_boundary = at == stack.definite.size();
      const bool safe = CapOf(set, remains, pushed) > 0;
      if ((definite && !safe) || (at_boundary && safe)) {
        return fmt::format("step {}: the definite part ends in the wrong place", at);
      }
      remains[pushed.value] = false;
    }
  }
  return std::nullopt;
}

std::optional<std::string> CheckSpillSet(const NodeSet& set) {
  const auto costs = CostsOf(set);
  const auto residual = MakeResidualCapacity(set.nodes, set.points, set.capacity);
  const NodeStack stack =
      Simplify(set.nodes, costs, NoPartners(set), *residual, SpillMetric::kCostPerOverload);
  const Selection selection = Select(KernelOf(set), set.nodes, costs, stack, set.capacity);
  std::set<TensorId> themselves;
  std::set<TensorId> beside;
  for (const NodeId unplaced : selection.unplaced) {
    if (costs[set.nodes[unplaced].tensor].IsFinite()) themselves.insert(set.nodes[unplaced].tensor);
    for (std::size_t n = 0; n < set.nodes.size(); ++n) {
      const Node& node = set.nodes[NodeId(n)];
      if (costs[node.tensor].IsFinite() && Overlap(node.life, set.nodes[unplaced].life))
        beside.insert(node.tensor);
    }
  }
  const std::set<TensorId>& expected = themselves.empty() ? beside : themselves;
  const std::vector<TensorId> chosen = ChooseSpillSet(set.nodes, costs, selection);
  if (std::equal(chosen.begin(), chosen.end(), expected.begin(), expected.end()))
    return std::nullopt;
  return fmt::format("{} tensors to be spilled for {} nodes without a place, counted {}",
                     chosen.size(), selection.unplaced.size(), expected.size());
}

std::optional<std::string> CheckColouring(const NodeSet& set) {
  const auto costs = CostsOf(set);
  const auto residual = MakeResidualCapacity(set.nodes, set.points, set.capacity);
  const NodeStack stack =
      Simplify(set.nodes, costs, NoPartners(set), *residual, SpillMetric::kCostPerOverload);
  std::vector<int> pushed(set.nodes.size(), 0);
  for (const auto* part : {&stack.definite, &stack.optimistic}) {
    for (const NodeId n : *part) ++pushed[n.value];
  }
  for (std::size_t n = 0; n < set.nodes.size(); ++n) {
    if (pushed[n] != (set.nodes[NodeId(n)].fixed ? 0 : 1))
      return fmt::format("node {} pushed {} times", n, pushed[n]);
  }
  const Selection selection = Select(KernelOf(set), set.nodes, costs, stack, set.capacity);
  for (const NodeId n : stack.definite) {
    if (!selection.placed[n])
      return fmt::format("node {} is trivially colourable and has no place", n.value);
  }
  for (std::size_t a = 0; a < set.nodes.size(); ++a) {
    const std::optional<BandInterval>& place = selection.placed[NodeId(a)];
    if (!place) continue;
    const Node& node = set.nodes[NodeId(a)];
    const auto bands = BandsOf(node.height);
    if (!node.fixed && (place->lower < 0 || place->upper > set.capacity.value ||
                        place->upper - place->lower != node.size.value ||
                        std::find(bands.begin(), bands.end(), place->band) == bands.end())) {
      return fmt::format("node {} lies where it can't", a);
    }
    for (std::size_t b = 0; b < a; ++b) {
      const std::optional<BandInterval>& other = selection.placed[NodeId(b)];
      if (!other || !Overlap(node.life, set.nodes[NodeId(b)].life)) continue;
      if (node.fixed && set.nodes[NodeId(b)].fixed) continue;
      if (Meet(*place, *other)) return fmt::format("nodes {} and {} intersect", a, b);
    }
  }
  return std::nullopt;
}

Colouring BestOf(const NodeSet& set, std::int64_t attempts) {
  return ColourBest(KernelOf(set), set.nodes, CostsOf(set), NoPartners(set), set.points,
                    set.capacity, SpillMetric::kCostPerOverload, attempts);
}

std::optional<std::string> CheckBestOf(const NodeSet& set) {
  constexpr int kMostAttempts = 6;
  const auto costs = CostsOf(set);
  // Unspillable nodes without a place, then the cycles of the others.
  std::optional<std::pair<std::int64_t, double>> before;
  for (int attempts = 1; attempts <= kMostAttempts; ++attempts) {
    const Colouring kept = BestOf(set, attempts);
    std::pair<std::int64_t, double> now{0, 0};
    for (const NodeId n : kept.selection.unplaced) {
      const SpillCost& cost = costs[set.nodes[n].tensor];
      now.first += cost.IsFinite() ? 0 : 1;
      now.second += cost.IsFinite() ? cost.cycles() : 0;
    }
    if (before && now > *before) {
      return fmt::format(
          "the best of {} orders costs {} cycles and leaves {} unspillable nodes without a place, "
          "of {} orders {} and {}",
          attempts, now.second, now.first, attempts - 1, before->second, before->first);
    }
    if (!before) {
      const auto residual = MakeResidualCapacity(set.nodes, set.points, set.capacity);
      const NodeStack stack =
          Simplify(set.nodes, costs, NoPartners(set), *residual, SpillMetric::kCostPerOverload);
      if (stack.definite != kept.stack.definite || stack.optimistic != kept.stack.optimistic)
        return "the only order tried isn't simplify's";
    }
    before = now;
  }
  return std::nullopt;
}

}  // namespace spillway
