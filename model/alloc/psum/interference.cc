#include "model/alloc/psum/interference.h"

#include <algorithm>
#include <set>

#include "model/hw/fault.h"

namespace spillway::psum {

IdVector<NodeId, std::vector<NodeId>> FindInterference(const IdVector<NodeId, BankRange>& ranges) {
  std::vector<NodeId> by_start;
  for (std::size_t i = 0; i < ranges.size(); ++i) by_start.push_back(NodeId(i));
  std::sort(by_start.begin(), by_start.end(), [&](NodeId a, NodeId b) {
    return std::pair(ranges[a].life.begin, a) < std::pair(ranges[b].life.begin, b);
  });
  IdVector<NodeId, std::vector<NodeId>> neighbours(ranges.size());
  std::set<std::pair<PointId, NodeId>> alive;  // by end
  for (const NodeId node : by_start) {
    while (!alive.empty() && alive.begin()->first <= ranges[node].life.begin)
      alive.erase(alive.begin());
    for (const auto& [end, other] : alive) {
      neighbours[node].push_back(other);
      if (SPILLWAY_FAULT(A11, true, fault::variant == 1)) neighbours[other].push_back(node);
    }
    alive.insert({ranges[node].life.end, node});
  }
  for (std::vector<NodeId>& list : neighbours) {
    std::sort(list.begin(), list.end());
    if (SPILLWAY_FAULT(A10, false, fault::variant == 1 && !list.empty())) list.pop_back();
  }
  return neighbours;
}

}  // namespace spillway::psum
