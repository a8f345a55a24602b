#include "model/alloc/sbuf/simplify.h"

#include <queue>
#include <set>
#include <tuple>

#include "model/alloc/sbuf/live_interval_index.h"
#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

// Small before large, so that the large ones are popped, and placed, earlier.
struct BySize {
  std::int64_t area = 0;
  NodeId node;
  friend auto operator<=>(const BySize&, const BySize&) = default;
};

class Worklists {
 public:
  Worklists(const IdVector<NodeId, Node>& nodes, const IdVector<TensorId, SpillCost>& costs,
            ResidualCapacity& capacity, SpillMetric metric)
      : nodes_(nodes),
        costs_(costs),
        capacity_(capacity),
        metric_(metric),
        waiting_(nodes),
        cap_(nodes.size(), 0),
        degree_(nodes.size(), 0),
        is_waiting_(nodes.size(), false) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (!nodes[NodeId(n)].fixed) Classify(NodeId(n));
    }
  }

  /// Pushes everything that is trivially colourable, and what becomes so by that.
  void Drain(std::vector<NodeId>& stack) {
    while (!safe_.empty()) {
      const NodeId n = safe_.begin()->node;
      safe_.erase(safe_.begin());
      stack.push_back(n);
      Remove(n);
    }
  }

  /// Cheapest spillable node that isn't safe yet; nothing when there is none.
  std::optional<NodeId> TakeSpillCandidate() {
    while (!unsafe_.empty()) {
      const auto [key, n] = unsafe_.top();
      unsafe_.pop();
      if (!is_waiting_[n]) continue;
      // Removing neighbours only shrinks overloads and degrees, so an old ratio is a lower bound.
      const double now = Ratio(n);
      if (now > key) {
        unsafe_.emplace(now, n);
        continue;
      }
      Leave(n);
      return n;
    }
    return std::nullopt;
  }

  void Remove(NodeId n) {
    capacity_.Remove(n);
    std::vector<NodeId> promoted;
    waiting_.ForEachOverlapping(nodes_[n].life, [&](NodeId m) {
      const std::int64_t impact =
          Impact(nodes_[m].height, nodes_[m].size, nodes_[n].height, nodes_[n].size);
      cap_[m] += SPILLWAY_FAULT(B15, impact, fault::variant == 1 ? 2 * impact : 0);
      degree_[m] -= 1;
      if (cap_[m] > 0) promoted.push_back(m);
    });
    for (const NodeId m : promoted) {
      Leave(m);
      safe_.insert({nodes_[m].Area(), m});
    }
  }

  /// Unspillable nodes that are still waiting, small before large.
  std::set<BySize> Infinite() const {
    std::set<BySize> left;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (is_waiting_[NodeId(n)]) left.insert({nodes_[NodeId(n)].Area(), NodeId(n)});
    }
    return left;
  }

  bool IsWaiting(NodeId n) const { return is_waiting_[n]; }
  void Leave(NodeId n) {
    is_waiting_[n] = false;
    waiting_.Deactivate(n);
  }

 private:
  void Classify(NodeId n) {
    cap_[n] = capacity_.Of(n);
    if (cap_[n] > 0) {
      safe_.insert({nodes_[n].Area(), n});
      return;
    }
    degree_[n] = capacity_.DegreeOf(n);
    is_waiting_[n] = true;
    waiting_.Activate(n);
    if (costs_[nodes_[n].tensor].IsFinite()) unsafe_.emplace(Ratio(n), n);
  }

  double Ratio(NodeId n) const {
    // C5.0 takes the dearest first; C5.1 multiplies by the overload where it should divide.
    const double sign = SPILLWAY_FAULT(C5, 1.0, fault::variant == 1 ? 1.0 : -1.0);
    const double cost = sign * costs_[nodes_[n].tensor].cycles();
    const auto missing = static_cast<double>(1 - cap_[n]);
    const double overload =
        SPILLWAY_FAULT(C5, missing, fault::variant == 1 ? 1.0 / missing : missing);
    const auto degree = static_cast<double>(degree_[n] + 1);
    switch (metric_) {
      case SpillMetric::kCostPerOverload: return cost / overload;
      case SpillMetric::kCostPerSquaredOverload: return cost / (overload * overload);
      case SpillMetric::kCostPerSquaredDegree: return cost / (degree * degree);
    }
    return cost;
  }

  const IdVector<NodeId, Node>& nodes_;
  const IdVector<TensorId, SpillCost>& costs_;
  ResidualCapacity& capacity_;
  SpillMetric metric_;
  LiveIntervalIndex waiting_;  // UNSAFE and INFINITE
  IdVector<NodeId, std::int64_t> cap_;
  IdVector<NodeId, std::int64_t> degree_;
  IdVector<NodeId, bool> is_waiting_;
  std::set<BySize> safe_;
  using Keyed = std::pair<double, NodeId>;
  std::priority_queue<Keyed, std::vector<Keyed>, std::greater<>> unsafe_;
};

}  // namespace

NodeStack Simplify(const IdVector<NodeId, Node>& nodes, const IdVector<TensorId, SpillCost>& costs,
                   const Partners& partners, ResidualCapacity& capacity, SpillMetric metric) {
  Worklists work(nodes, costs, capacity, metric);
  NodeStack stack;
  work.Drain(stack.definite);
  while (const std::optional<NodeId> candidate = work.TakeSpillCandidate()) {
    ++stack.spill_candidates;
    stack.optimistic.push_back(*candidate);
    work.Remove(*candidate);
    work.Drain(stack.optimistic);
  }
  // What is left is unspillable and may not fit by the test; partners stay adjacent on the stack.
  IdVector<TensorId, std::vector<NodeId>> waiting_of(costs.size());
  const std::set<BySize> infinite = work.Infinite();
  for (const BySize& entry : infinite) waiting_of[nodes[entry.node].tensor].push_back(entry.node);
  const auto push = [&](NodeId n) {
    if (!work.IsWaiting(n)) return;
    work.Leave(n);
    stack.optimistic.push_back(n);
  };
  for (const BySize& entry : infinite) {
    push(entry.node);
    for (const TensorId partner : partners.of[nodes[entry.node].tensor]) {
      for (const NodeId n : waiting_of[partner]) push(n);
    }
  }
  SPILLWAY_CHECK(work.Infinite().empty(), "every node is on the stack");
  return stack;
}

}  // namespace spillway
