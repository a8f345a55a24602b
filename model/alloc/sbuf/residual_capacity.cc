#include "model/alloc/sbuf/residual_capacity.h"

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

struct CountAndSize {
  std::int64_t count = 0;
  std::int64_t size = 0;
};

// Prefix sums over points under point updates.
class FenwickTree {
 public:
  explicit FenwickTree(std::size_t points) : sums_(points + 2) {}

  void Add(std::size_t point, CountAndSize change) {
    for (std::size_t i = point + 1; i < sums_.size(); i += i & (~i + 1)) {
      sums_[i].count += change.count;
      sums_[i].size += change.size;
    }
  }
  /// Sum over points [0, end).
  CountAndSize Before(std::size_t end) const {
    CountAndSize sum;
    for (std::size_t i = end; i > 0; i -= i & (~i + 1)) {
      sum.count += sums_[i].count;
      sum.size += sums_[i].size;
    }
    return sum;
  }

 private:
  std::vector<CountAndSize> sums_;
};

struct ClassTrees {
  FenwickTree begins;
  FenwickTree ends;
};

class GraphFree final : public ResidualCapacity {
 public:
  GraphFree(const IdVector<NodeId, Node>& nodes, std::size_t point_count, Granules capacity)
      : nodes_(nodes), capacity_(capacity), removed_(nodes.size(), false) {
    for (const Node& node : nodes) {
      std::unique_ptr<ClassTrees>& trees = trees_[static_cast<std::size_t>(node.height)];
      if (!trees)
        trees = std::make_unique<ClassTrees>(
            ClassTrees{FenwickTree(point_count), FenwickTree(point_count)});
      Count(node, 1);
    }
  }

  std::int64_t Of(NodeId id) const override {
    const Node& node = nodes_[id];
    std::int64_t cap = PossiblePlacements(node.height, node.size, capacity_);
    for (std::size_t c = 0; c < kHeightClasses; ++c) {
      const std::int64_t weight = VerticalImpact(static_cast<HeightClass>(c), node.height);
      if (weight == 0) continue;
      const CountAndSize others = Neighbors(id, c);
      // Sum of (own size + their size - 1) over the class.
      cap -= weight * (others.count * (node.size.value - SPILLWAY_FAULT(B13, 1, 0)) + others.size);
    }
    return cap;
  }

  std::int64_t DegreeOf(NodeId id) const override {
    std::int64_t degree = 0;
    for (std::size_t c = 0; c < kHeightClasses; ++c) degree += Neighbors(id, c).count;
    return degree;
  }

  void Remove(NodeId id) override {
    SPILLWAY_CHECK(!removed_[id], "a node leaves the graph once");
    removed_[id] = true;
    Count(nodes_[id], -1);
  }

 private:
  CountAndSize Neighbors(NodeId id, std::size_t height) const {
    const std::unique_ptr<ClassTrees>& trees = trees_[height];
    if (!trees) return {};
    const Node& node = nodes_[id];
    CountAndSize sum = trees->begins.Before(node.life.end.value);
    const CountAndSize over = trees->ends.Before(std::size_t{node.life.begin.value} + 1);
    sum.count -= over.count;
    sum.size -= over.size;
    if (height == static_cast<std::size_t>(node.height) && !removed_[id]) {
      sum.count -= 1;
      sum.size -= node.size.value;
    }
    return sum;
  }

  void Count(const Node& node, std::int64_t sign) {
    ClassTrees& trees = *trees_[static_cast<std::size_t>(node.height)];
    trees.begins.Add(node.life.begin.value, {sign, sign * node.size.value});
    trees.ends.Add(node.life.end.value, {sign, sign * node.size.value});
  }

  const IdVector<NodeId, Node>& nodes_;
  Granules capacity_;
  std::array<std::unique_ptr<ClassTrees>, kHeightClasses> trees_;
  IdVector<NodeId, bool> removed_;
};

class Explicit final : public ResidualCapacity {
 public:
  Explicit(const IdVector<NodeId, Node>& nodes, InterferenceGraph graph, Granules capacity)
      : nodes_(nodes),
        graph_(std::move(graph)),
        capacity_(capacity),
        removed_(nodes.size(), false) {}

  std::int64_t Of(NodeId id) const override {
    const Node& node = nodes_[id];
    std::int64_t cap = PossiblePlacements(node.height, node.size, capacity_);
    for (const NodeId m : graph_.neighbors[id]) {
      if (!removed_[m]) cap -= Impact(node.height, node.size, nodes_[m].height, nodes_[m].size);
    }
    return cap;
  }

  std::int64_t DegreeOf(NodeId id) const override {
    std::int64_t degree = 0;
    for (const NodeId m : graph_.neighbors[id]) degree += removed_[m] ? 0 : 1;
    return degree;
  }

  void Remove(NodeId id) override {
    SPILLWAY_CHECK(!removed_[id], "a node leaves the graph once");
    removed_[id] = true;
  }

 private:
  const IdVector<NodeId, Node>& nodes_;
  InterferenceGraph graph_;
  Granules capacity_;
  IdVector<NodeId, bool> removed_;
};

}  // namespace

std::unique_ptr<ResidualCapacity> MakeResidualCapacity(const IdVector<NodeId, Node>& nodes,
                                                       std::size_t point_count, Granules capacity) {
  return std::make_unique<GraphFree>(nodes, point_count, capacity);
}

std::unique_ptr<ResidualCapacity> MakeExplicitResidualCapacity(const IdVector<NodeId, Node>& nodes,
                                                               InterferenceGraph graph,
                                                               Granules capacity) {
  return std::make_unique<Explicit>(nodes, std::move(graph), capacity);
}

}  // namespace spillway
