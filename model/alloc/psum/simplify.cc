#include "model/alloc/psum/simplify.h"

#include <algorithm>
#include <set>

namespace spillway::psum {
namespace {

class Worklists {
 public:
  Worklists(const IdVector<NodeId, BankRange>& ranges,
            const IdVector<NodeId, std::vector<NodeId>>& neighbours,
            const IdVector<NodeId, SpillCost>& costs, BankCount banks)
      : ranges_(ranges),
        neighbours_(neighbours),
        costs_(costs),
        room_(ranges.size()),
        is_waiting_(ranges.size(), false) {
    for (std::size_t n = 0; n < ranges.size(); ++n) {
      const NodeId node(n);
      room_[node] = (banks - ranges[node].banks()).value;
      for (const NodeId other : neighbours[node]) room_[node] -= ranges[other].banks().value;
      if (ranges[node].is_fixed) continue;
      is_waiting_[node] = true;
      Insert(node);
    }
  }

  NodeStack Run() {
    NodeStack stack;
    Drain(stack.definite);
    while (!unsafe_.empty()) {
      Remove(unsafe_.begin()->second, stack.optimistic);
      Drain(stack.optimistic);
    }
    while (!infinite_.empty()) {
      Remove(*infinite_.begin(), stack.optimistic);
      Drain(stack.optimistic);
    }
    return stack;
  }

 private:
  bool IsSafe(NodeId node) const { return room_[node] >= 0; }
  std::pair<std::int64_t, NodeId> SafeKey(NodeId node) const {
    return {ranges_[node].banks().value, node};
  }
  // Cycles per bank that is missing: at least one is, or the node would be safe.
  std::pair<double, NodeId> UnsafeKey(NodeId node) const {
    return {costs_[node].cycles / static_cast<double>(-room_[node]), node};
  }

  void Insert(NodeId node) {
    if (IsSafe(node)) {
      safe_.insert(SafeKey(node));
    } else if (costs_[node].IsFinite()) {
      unsafe_.insert(UnsafeKey(node));
    } else {
      infinite_.insert(node);
    }
  }

  void Erase(NodeId node) {
    if (IsSafe(node)) {
      safe_.erase(SafeKey(node));
    } else if (costs_[node].IsFinite()) {
      unsafe_.erase(UnsafeKey(node));
    } else {
      infinite_.erase(node);
    }
  }

  void Drain(std::vector<NodeId>& stack) {
    while (!safe_.empty()) Remove(safe_.begin()->second, stack);
  }

  void Remove(NodeId node, std::vector<NodeId>& stack) {
    Erase(node);
    is_waiting_[node] = false;
    stack.push_back(node);
    for (const NodeId other : neighbours_[node]) {
      if (!is_waiting_[other]) continue;
      Erase(other);
      room_[other] += ranges_[node].banks().value;
      Insert(other);
    }
  }

  const IdVector<NodeId, BankRange>& ranges_;
  const IdVector<NodeId, std::vector<NodeId>>& neighbours_;
  const IdVector<NodeId, SpillCost>& costs_;
  IdVector<NodeId, std::int64_t> room_;  ///< banks left if the node and its neighbours are apart
  IdVector<NodeId, char> is_waiting_;
  std::set<std::pair<std::int64_t, NodeId>> safe_;
  std::set<std::pair<double, NodeId>> unsafe_;
  std::set<NodeId> infinite_;
};

}  // namespace

NodeStack Simplify(const IdVector<NodeId, BankRange>& ranges,
                   const IdVector<NodeId, std::vector<NodeId>>& neighbours,
                   const IdVector<NodeId, SpillCost>& costs, BankCount banks) {
  return Worklists(ranges, neighbours, costs, banks).Run();
}

}  // namespace spillway::psum
