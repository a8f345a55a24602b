// All active nodes whose lives overlap a stretch of time, without a graph.
#pragma once

#include <algorithm>
#include <vector>

#include "model/alloc/sbuf/intervals.h"
#include "model/hw/fault.h"

namespace spillway {

/// Nodes sorted by the start of their lives, under a tree of the latest end: O(log n + k) for the k
/// active nodes that overlap, and O(log n) to switch a node on or off.
class LiveIntervalIndex {
 public:
  /// All nodes are known; none is active yet.
  explicit LiveIntervalIndex(const IdVector<NodeId, Node>& nodes);

  void Activate(NodeId node);
  void Deactivate(NodeId node);

  /// Calls `visit(NodeId)` for every active node whose life overlaps `life`, by start of life.
  template <class Visit>
  void ForEachOverlapping(const Interval<PointId>& life, Visit visit) const {
    const auto last = std::lower_bound(begins_.begin(), begins_.end(), life.end);
    const auto visit_one = [&](NodeId other) {
      const bool is_seen = SPILLWAY_FAULT(A6, true, !IsHandover((*nodes_)[other].life, life));
      if (is_seen) visit(other);
    };
    Walk(1, 0, leaves_, static_cast<std::size_t>(last - begins_.begin()), life.begin, visit_one);
  }

 private:
#ifdef SPILLWAY_FAULTS
  // One begins at the other's last point.
  static bool IsHandover(const Interval<PointId>& a, const Interval<PointId>& b) {
    return a.begin != b.begin &&
           (a.begin.value + 1 == b.end.value || b.begin.value + 1 == a.end.value);
  }
#endif
  void SetEnd(std::size_t leaf, std::uint32_t end);

  template <class Visit>
  void Walk(std::size_t tree, std::size_t from, std::size_t to, std::size_t limit, PointId after,
            Visit& visit) const {
    if (from >= limit || latest_end_[tree] <= after.value) return;
    if (to - from == 1) {
      visit(order_[from]);
      return;
    }
    const std::size_t middle = (from + to) / 2;
    Walk(2 * tree, from, middle, limit, after, visit);
    Walk(2 * tree + 1, middle, to, limit, after, visit);
  }

  const IdVector<NodeId, Node>* nodes_;
  std::vector<NodeId> order_;    // by start of life
  std::vector<PointId> begins_;  // of order_
  IdVector<NodeId, std::size_t> leaf_of_;
  std::size_t leaves_ = 1;                 // a power of two
  std::vector<std::uint32_t> latest_end_;  // 0: nothing active below
};

}  // namespace spillway
