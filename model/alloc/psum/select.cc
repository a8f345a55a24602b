#include "model/alloc/psum/select.h"

#include <algorithm>
#include <set>

#include "model/hw/fault.h"

namespace spillway::psum {
namespace {

std::vector<bool> HeldBanks(const IdVector<NodeId, BankRange>& ranges,
                            const std::vector<NodeId>& neighbours,
                            const IdVector<NodeId, std::optional<BankId>>& base, BankCount banks) {
  std::vector<bool> held(static_cast<std::size_t>(banks.value), false);
  const auto hold = [&](std::int64_t bank) {
    if (bank >= 0 && bank < banks.value) held[static_cast<std::size_t>(bank)] = true;
  };
  for (const NodeId other : neighbours) {
    for (const BankId bank : ranges[other].fixed) hold(bank.value);
    if (!base[other]) continue;
    for (std::int64_t i = 0; i < ranges[other].banks().value; ++i) {
      const std::int64_t bank = base[other]->value + i;
      hold(SPILLWAY_FAULT(B21, bank, bank % std::max<std::int64_t>(banks.value - 1, 1)));
    }
  }
  return held;
}

std::optional<BankId> LowestRun(const std::vector<bool>& held, std::int64_t length) {
  std::int64_t free = 0;
  for (std::size_t bank = 0; bank < held.size(); ++bank) {
    free = held[bank] ? 0 : free + 1;
    if (free == length) return BankId(static_cast<std::int64_t>(bank) + 1 - length);
  }
  return std::nullopt;
}

}  // namespace

Selection Select(const IdVector<NodeId, BankRange>& ranges,
                 const IdVector<NodeId, std::vector<NodeId>>& neighbours, const NodeStack& stack,
                 BankCount banks) {
  Selection selection{IdVector<NodeId, std::optional<BankId>>(ranges.size()), {}};
  for (const auto* part : {&stack.optimistic, &stack.definite}) {
    for (auto node = part->rbegin(); node != part->rend(); ++node) {
      SPILLWAY_CHECK(!selection.base[*node], "node should be unallocated when popped from stack");
      const std::vector<bool> held = HeldBanks(ranges, neighbours[*node], selection.base, banks);
      selection.base[*node] = LowestRun(held, ranges[*node].banks().value);
      if (!selection.base[*node]) selection.unplaced.push_back(*node);
    }
  }
  return selection;
}

std::vector<NodeId> ChooseSpillSet(const IdVector<NodeId, std::vector<NodeId>>& neighbours,
                                   const IdVector<NodeId, SpillCost>& costs,
                                   const Selection& selection) {
  std::set<NodeId> chosen;
  for (const NodeId node : selection.unplaced) {
    if (costs[node].IsFinite()) {
      chosen.insert(node);
      continue;
    }
    std::optional<NodeId> cheapest;
    bool is_helped = false;
    for (const NodeId other : neighbours[node]) {
      is_helped = is_helped || chosen.contains(other);
      if (!costs[other].IsFinite()) continue;
      if (!cheapest || costs[other].cycles < costs[*cheapest].cycles) cheapest = other;
    }
    if (!is_helped && cheapest) chosen.insert(*cheapest);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace spillway::psum
