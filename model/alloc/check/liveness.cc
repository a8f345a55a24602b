#include "model/alloc/check/liveness.h"

#include <algorithm>
#include <map>

namespace spillway::check {
namespace {

// Walks the nodes against program order and notes where the tensor is alive.
class BackwardWalk {
 public:
  explicit BackwardWalk(const LinearKernel& linear)
      : linear_(linear), upper_(linear.point_count() - 1) {}

  // What is alive before `node`, given what is alive after it.
  RegionSet Before(const AccessNode& node, RegionSet alive) {
    if (!alive.empty()) Mark(node.last, upper_);
    upper_ = node.last;
    if (node.loop) {
      WalkBody(node, alive);
      upper_ = node.first;
    } else {
      Mark(node.first, node.first);
    }
    alive.Kill(node.certain_writes);
    return alive;
  }

  // Notes that something is alive from the node's start on, before anything in it happens.
  void MarkStart(const AccessNode& node) { Mark(node.first, node.first); }

  std::vector<Interval<PointId>> Finish(bool alive_at_start) {
    if (alive_at_start) Mark(PointId(0), upper_);
    std::reverse(stretches_.begin(), stretches_.end());
    return std::move(stretches_);
  }

 private:
  void WalkBody(const AccessNode& node, const RegionSet& alive_after) {
    RegionSet alive = alive_after;
    if (TripCount(linear_.kernel.loops[*node.loop]) > 1) alive.Add(node.carried);
    if (!alive.empty()) Mark(node.last, node.last);
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      alive = Before(*child, std::move(alive));
      alive.Add(child->reads);
      if (!alive.empty()) MarkStart(*child);
    }
    if (!alive.empty()) Mark(node.first, upper_);
  }

  // Marks both points and all between; calls come with falling points.
  void Mark(PointId from, PointId to) {
    if (!stretches_.empty() && stretches_.back().begin.value <= to.value + 1) {
      stretches_.back().begin = std::min(stretches_.back().begin, from);
    } else {
      stretches_.push_back({from, PointId(to.value + 1)});
    }
  }

  const LinearKernel& linear_;
  PointId upper_;
  std::vector<Interval<PointId>> stretches_;
};

std::vector<Interval<PointId>> StretchesOf(const LinearKernel& linear, const Tensor& tensor,
                                           const std::vector<PlacedAccess>& accesses) {
  const bool from_start = tensor.role == Role::kInput || tensor.role == Role::kConstant;
  const BlockPlanes at_start = from_start ? BlockPlanes::Whole(tensor) : BlockPlanes();
  const std::vector<AccessNode> nodes = AccessTreeOf(linear, accesses, at_start);

  // What each node is the first to write: before it, those bytes hold nothing.
  std::vector<BlockPlanes> fresh;
  BlockPlanes defined = at_start;
  for (const AccessNode& node : nodes) {
    fresh.push_back(node.possible_writes);
    fresh.back().Subtract(defined);
    defined.Unite(node.possible_writes);
  }
  RegionSet alive;
  if (tensor.role == Role::kOutput) alive.Add(Region{{}, {}, {}, defined});
  BackwardWalk walk(linear);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    alive = walk.Before(nodes[i], std::move(alive));
    RegionSet before = std::move(alive);
    before.Add(nodes[i].reads);
    before.Kill(Region{{}, {}, {}, fresh[i]});
    if (!before.empty()) walk.MarkStart(nodes[i]);
    alive = std::move(before);
  }
  return walk.Finish(!alive.empty());
}

bool NamesItsBlockByAConstant(const PlacedAccess& access) {
  const std::vector<AffineExpr>& block = access.what.region.place.block;
  return std::all_of(block.begin(), block.end(),
                     [](const AffineExpr& expr) { return expr.IsConstant(); });
}

// Blocks that live together, and the accesses that may touch them.
struct BlockClass {
  std::vector<std::int64_t> blocks;
  std::vector<std::size_t> accesses;
};

// In the order of the first block of each; none for blocks that nothing touches.
std::vector<BlockClass> ClassesOf(const std::vector<PlacedAccess>& accesses) {
  std::map<std::int64_t, std::vector<std::size_t>> touching;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    for (const auto& [block, plane] : accesses[i].what.region.bound.planes())
      touching[block].push_back(i);
  }
  const bool apart = std::all_of(accesses.begin(), accesses.end(), NamesItsBlockByAConstant);
  std::vector<BlockClass> classes;
  std::map<std::vector<std::size_t>, std::size_t> class_of;
  for (const auto& [block, by] : touching) {
    const auto [known, is_new] = class_of.try_emplace(by, classes.size());
    if (is_new || apart) {
      classes.push_back({{block}, by});
    } else {
      classes[known->second].blocks.push_back(block);
    }
  }
  return classes;
}

// The accesses of a class, with as much as is known of what they touch in its blocks.
std::vector<PlacedAccess> AccessesIn(const BlockClass& blocks,
                                     const std::vector<PlacedAccess>& accesses) {
  std::vector<PlacedAccess> kept;
  for (const std::size_t index : blocks.accesses) {
    kept.push_back(accesses[index]);
    BlockPlanes bound;
    for (const std::int64_t block : blocks.blocks)
      bound.Unite(accesses[index].what.region.bound.Only(block));
    kept.back().what.region.bound = std::move(bound);
  }
  return kept;
}

}  // namespace

std::vector<BlockLife> LivesOf(const LinearKernel& linear, TensorId id) {
  const Tensor& tensor = linear.kernel.tensors[id];
  const std::vector<PlacedAccess> accesses = PlacedAccessesOf(linear, id);
  if (accesses.empty()) return {};
  if (BlockCount(tensor) == 1) return {{id, {0}, StretchesOf(linear, tensor, accesses)}};
  std::vector<BlockLife> lives;
  for (const BlockClass& blocks : ClassesOf(accesses)) {
    lives.push_back({id, blocks.blocks, StretchesOf(linear, tensor, AccessesIn(blocks, accesses))});
  }
  return lives;
}

}  // namespace spillway::check
