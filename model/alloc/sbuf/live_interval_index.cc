#include "model/alloc/sbuf/live_interval_index.h"

namespace spillway {

LiveIntervalIndex::LiveIntervalIndex(const IdVector<NodeId, Node>& nodes)
    : nodes_(&nodes), leaf_of_(nodes.size()) {
  for (std::size_t n = 0; n < nodes.size(); ++n) order_.push_back(NodeId(n));
  std::sort(order_.begin(), order_.end(), [&](NodeId a, NodeId b) {
    return nodes[a].life.begin != nodes[b].life.begin ? nodes[a].life.begin < nodes[b].life.begin
                                                      : a < b;
  });
  for (std::size_t i = 0; i < order_.size(); ++i) {
    leaf_of_[order_[i]] = i;
    begins_.push_back(nodes[order_[i]].life.begin);
  }
  while (leaves_ < order_.size()) leaves_ *= 2;
  latest_end_.assign(2 * leaves_, 0);
}

void LiveIntervalIndex::Activate(NodeId node) {
  SetEnd(leaf_of_[node], (*nodes_)[node].life.end.value);
}

void LiveIntervalIndex::Deactivate(NodeId node) { SetEnd(leaf_of_[node], 0); }

void LiveIntervalIndex::SetEnd(std::size_t leaf, std::uint32_t end) {
  std::size_t tree = leaves_ + leaf;
  latest_end_[tree] = end;
  while (tree > 1) {
    tree /= 2;
    latest_end_[tree] = std::max(latest_end_[2 * tree], latest_end_[2 * tree + 1]);
  }
}

}  // namespace spillway
