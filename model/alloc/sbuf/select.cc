#include "model/alloc/sbuf/select.h"

#include "model/alloc/sbuf/live_interval_index.h"
#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

std::size_t PoolOf(HeightClass height) {
  switch (BandsOf(height).front()) {
    case 0b1111: return 0;
    case 0b0011:
    case 0b1100: return 1;
    default: return 2;
  }
}

class Selector {
 public:
  Selector(const Kernel& kernel, const IdVector<NodeId, Node>& nodes,
           const IdVector<TensorId, SpillCost>& costs, Granules capacity)
      : kernel_(kernel),
        nodes_(nodes),
        costs_(costs),
        capacity_(capacity.value),
        reserved_(nodes),
        marks_(Watermarks::Seed(capacity.value)) {
    selection_.placed.resize(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const std::optional<Reservation>& fixed = nodes[NodeId(n)].fixed;
      if (fixed) Reserve(NodeId(n), {fixed->lower, fixed->upper, fixed->quadrants});
    }
  }

  void PopDefiniteNext() { marks_ = SPILLWAY_FAULT(B16, Watermarks::Reseed(capacity_), marks_); }

  void Place(NodeId n) {
    SPILLWAY_CHECK(!selection_.placed[n], "node should be unallocated when popped from stack");
    std::optional<BandInterval> rectangle = FindRectangle(nodes_[n]);
    if (rectangle) {
      const QuadrantMask band = rectangle->band;
      rectangle->band = SPILLWAY_FAULT(B5, band, PoolOf(nodes_[n].height) == 1 ? band & 5 : band);
      rectangle->band = SPILLWAY_FAULT(B6, rectangle->band, band == 0b1111 ? 0b0111 : band);
      Reserve(n, *rectangle);
      return;
    }
    selection_.unplaced.push_back(n);
    const Node& node = nodes_[n];
    if (costs_[node.tensor].IsFinite()) {
      selection_.score += costs_[node.tensor].cycles();
    } else {
      selection_.notes.push_back("infinite node " + kernel_.tensors[node.tensor].name);
    }
  }

  Selection Finish() {
    CheckAllPairs();
    return std::move(selection_);
  }

 private:
  std::optional<BandInterval> FindRectangle(const Node& node) const {
    std::vector<BandInterval> taken;
    reserved_.ForEachOverlapping(node.life,
                                 [&](NodeId other) { taken.push_back(*selection_.placed[other]); });
    if (SPILLWAY_FAULT(A10, false, fault::variant != 1 && !taken.empty())) taken.pop_back();
    const FreePools pools(taken, capacity_);
    const auto bands = BandsOf(node.height);
    // The cascade: leftovers beside wider tensors, then leftovers of the next wider pool (for
    // quadrants: free halves beside the full band), then anything. The full band has one pool.
    const std::size_t pool = PoolOf(node.height);
    if (pool > 0) {
      if (const auto found = SearchIntervals(pools.FindLeftovers(bands), node, pool)) return found;
    }
    if (pool == 2) {
      const std::array<QuadrantMask, 2> halves = {0b0011, 0b1100};
      std::vector<BandInterval> beside;
      for (const BandInterval& half : pools.FindLeftovers(halves)) {
        for (const QuadrantMask band : bands) {
          if ((band & half.band) != 0) beside.push_back({half.lower, half.upper, band});
        }
      }
      if (const auto found = SearchIntervals(beside, node, pool)) return found;
    }
    return SearchIntervals(pools.Find(bands), node, pool);
  }

  std::optional<BandInterval> SearchIntervals(const std::vector<BandInterval>& free,
                                              const Node& node, std::size_t pool) const {
    const bool small = node.size.value <= marks_.small_size;
    const SearchWindow whole{0, capacity_};
    if (small) {
      if (const auto found = SearchBottomUp(free, {0, marks_.low_top[pool]}, node.size))
        return found;
      return SearchBottomUp(free, whole, node.size);
    }
    if (const auto found = SearchTopDown(free, {marks_.high_bottom[pool], capacity_}, node.size))
      return found;
    return SearchTopDown(free, whole, node.size);
  }

  void Reserve(NodeId n, const BandInterval& rectangle) {
    selection_.placed[n] = rectangle;
    if (SPILLWAY_FAULT(B19, true, fault::variant != 1)) reserved_.Activate(n);
    if (nodes_[n].fixed) return;
    // The watermarks roll with what they have let in.
    const std::size_t pool = PoolOf(nodes_[n].height);
    if (nodes_[n].size.value <= marks_.small_size) {
      marks_.low_top[pool] = std::max(marks_.low_top[pool], rectangle.upper);
    } else {
      marks_.high_bottom[pool] = std::min(marks_.high_bottom[pool], rectangle.lower);
    }
  }

  void CheckAllPairs() const {
    LiveIntervalIndex seen(nodes_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const NodeId n(i);
      if (!selection_.placed[n]) continue;
      const BandInterval& a = *selection_.placed[n];
      seen.ForEachOverlapping(nodes_[n].life, [&](NodeId m) {
        const BandInterval& b = *selection_.placed[m];
        // Two hand-placed tensors are their author's business; the checker judges them.
        if (nodes_[n].fixed && nodes_[m].fixed) return;
        SPILLWAY_CHECK((a.band & b.band) == 0 || a.upper <= b.lower || b.upper <= a.lower,
                       "in sb_select, a bad allocation");
      });
      seen.Activate(n);
    }
  }

  const Kernel& kernel_;
  const IdVector<NodeId, Node>& nodes_;
  const IdVector<TensorId, SpillCost>& costs_;
  std::int64_t capacity_;
  LiveIntervalIndex reserved_;
  Watermarks marks_;
  Selection selection_;
};

}  // namespace

Watermarks Watermarks::Seed(std::int64_t capacity) {
  const std::int64_t low = capacity * 3 / 4;
  return {capacity / 48, {low, low, low}, {capacity, capacity, capacity}};
}

Watermarks Watermarks::Reseed(std::int64_t capacity) {
  const std::int64_t half = capacity / 2;
  return {capacity / 4, {half, half, half}, {capacity, capacity, capacity}};
}

Selection Select(const Kernel& kernel, const IdVector<NodeId, Node>& nodes,
                 const IdVector<TensorId, SpillCost>& costs, const NodeStack& stack,
                 Granules capacity) {
  Selector selector(kernel, nodes, costs, capacity);
  for (auto n = stack.optimistic.rbegin(); n != stack.optimistic.rend(); ++n) selector.Place(*n);
  selector.PopDefiniteNext();
  for (auto n = stack.definite.rbegin(); n != stack.definite.rend(); ++n) selector.Place(*n);
  return selector.Finish();
}

}  // namespace spillway
