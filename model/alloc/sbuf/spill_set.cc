#include "model/alloc/sbuf/spill_set.h"

#include <fmt/format.h>

#include <set>

#include "model/alloc/sbuf/live_interval_index.h"
#include "model/hw/fault.h"

namespace spillway {

std::vector<TensorId> ChooseSpillSet(const IdVector<NodeId, Node>& nodes,
                                     const IdVector<TensorId, SpillCost>& costs,
                                     const Selection& selection) {
  std::set<TensorId> chosen;
  for (const NodeId n : selection.unplaced) {
    if (costs[nodes[n].tensor].IsFinite()) chosen.insert(nodes[n].tensor);
  }
  if (chosen.empty() && !selection.unplaced.empty()) {
    LiveIntervalIndex index(nodes);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (costs[nodes[NodeId(n)].tensor].IsFinite()) index.Activate(NodeId(n));
    }
    for (const NodeId n : selection.unplaced) {
      index.ForEachOverlapping(nodes[n].life, [&](NodeId other) {
        const bool helps = SPILLWAY_FAULT(
            C20, true,
            selection.placed[other] &&
                (selection.placed[other]->band & BandsOf(nodes[n].height).front()) == 0);
        if (helps) chosen.insert(nodes[other].tensor);
      });
    }
  }
  return {chosen.begin(), chosen.end()};
}

Error CannotAllocate(const Kernel& kernel, const IdVector<NodeId, Node>& nodes,
                     const IdVector<TensorId, SpillCost>& costs, const Selection& selection,
                     Bytes granule, Bytes capacity) {
  constexpr std::size_t kShown = 6;
  std::string list;
  for (std::size_t i = 0; i < selection.unplaced.size() && i < kShown; ++i) {
    const Node& node = nodes[selection.unplaced[i]];
    list += fmt::format("{}{} ({} bytes per partition: {})", i > 0 ? ", " : "",
                        kernel.tensors[node.tensor].name, (granule * node.size.value).value,
                        Describe(*costs[node.tensor].why()));
  }
  if (selection.unplaced.size() > kShown)
    list += fmt::format(", and {} more", selection.unplaced.size() - kShown);
  return {
      Kind::kCapacity, "spilling-cant-help",
      fmt::format(
          "couldn't allocate every tensor in SB and spilling can't help: {} found no place in {} "
          "bytes per partition: {}",
          selection.unplaced.size(), capacity.value, list),
      "", 0};
}

}  // namespace spillway
