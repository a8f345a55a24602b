#include "model/alloc/psum/allocate_psum.h"

#include <fmt/format.h>

#include "model/alloc/ir/without_places.h"
#include "model/alloc/psum/insert_tensor_copies.h"
#include "model/alloc/psum/interference.h"
#include "model/alloc/psum/peak_banks.h"
#include "model/alloc/psum/select.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

using psum::BankRange;
using psum::NodeId;

Placement PlacementOf(const Kernel& kernel, const IdVector<NodeId, BankRange>& ranges,
                      const psum::Selection& selection, Bytes bank_bytes) {
  Placement placement;
  placement.addresses.resize(kernel.tensors.size());
  for (std::size_t n = 0; n < ranges.size(); ++n) {
    const BankRange& range = ranges[NodeId(n)];
    std::vector<Address>& addresses = placement.addresses[range.tensor];
    addresses = kernel.tensors[range.tensor].at;
    if (range.is_fixed) continue;
    for (std::int64_t block = 0; block < range.blocks; ++block) {
      const BankId bank = *selection.base[NodeId(n)] + range.banks_per_block * block;
      const Bytes inside(SPILLWAY_FAULT(B20, 0, fault::variant == 1 ? bank_bytes.value - 4 : 0));
      addresses.push_back({Partition(0), ByteOffset(0) + bank_bytes * bank.value + inside});
    }
  }
  return placement;
}

Error CannotAllocate(const Kernel& kernel, const IdVector<NodeId, BankRange>& ranges,
                     const IdVector<NodeId, std::vector<NodeId>>& neighbours,
                     const IdVector<NodeId, psum::SpillCost>& costs,
                     const psum::Selection& selection, BankCount banks) {
  const NodeId node = selection.unplaced.front();
  constexpr std::size_t kShown = 8;
  std::string rivals;
  for (std::size_t i = 0; i < neighbours[node].size() && i < kShown; ++i) {
    const NodeId other = neighbours[node][i];
    const auto& why = costs[other].plan.why;
    rivals += fmt::format("{}{} ({} bank(s), {})", i > 0 ? ", " : "",
                          kernel.tensors[ranges[other].tensor].name, ranges[other].banks().value,
                          why ? Describe(*why) : "spillable");
  }
  if (neighbours[node].size() > kShown)
    rivals += fmt::format(", and {} more", neighbours[node].size() - kShown);
  return {Kind::kCapacity, "psum-capacity",
          fmt::format("couldn't allocate every tensor in PSUM and spilling can't help: {} needs {} "
                      "bank(s) of {}, "
                      "alive together with {}",
                      kernel.tensors[ranges[node].tensor].name, ranges[node].banks().value,
                      banks.value, rivals.empty() ? "nothing" : rivals),
          "", 0};
}

void CountCopies(const Kernel& kernel, PsumStats& stats) {
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.op != "tensor_copy") continue;
    stats.saves += instruction.spill == SpillRole::kSave ? 1 : 0;
    stats.reloads += instruction.spill == SpillRole::kReload ? 1 : 0;
  }
}

}  // namespace

Result<PsumAllocation> AllocatePsum(Kernel kernel, const Target& target, const Hwm& hwm,
                                    const PsumOptions& options) {
  if (options.reallocate) {
    for (Tensor& tensor : kernel.tensors) {
      if (tensor.space != Space::kPsum) continue;
      ForgetPlace(tensor);
    }
  }
  const BankCount banks = options.banks.value_or(UsablePsumBanks(target));
  PsumStats stats;
  psum::CopyCounters counters;
  std::vector<bool> is_spill_copy(kernel.tensors.size(), false);
  while (true) {
    ++stats.iterations;
    LinearKernel linear = Linearize(std::move(kernel));
    const Result<IdVector<NodeId, BankRange>> ranges = psum::FindBankRanges(linear, target, banks);
    if (!ranges) return Fail(ranges.error());
    const auto neighbours = psum::FindInterference(*ranges);
    const auto costs = psum::FindCosts(linear, *ranges, is_spill_copy, hwm);
    const psum::NodeStack stack = psum::Simplify(*ranges, neighbours, costs, banks);
    const psum::Selection selection = psum::Select(*ranges, neighbours, stack, banks);
    const BankCount peak = psum::PeakBanks(*ranges, linear.point_count());
    if (stats.iterations == 1 && !ranges->empty()) {
      stats.demand_percent =
          100.0 * static_cast<double>(peak.value) / static_cast<double>(banks.value);
      stats.messages.push_back(
          fmt::format("{:.1f}% PSUM demand before spilling", stats.demand_percent));
    }
    if (selection.unplaced.empty()) {
      CountCopies(linear.kernel, stats);
      if (!stats.spilled.empty()) stats.messages.push_back("no more spills");
      Placement placement = PlacementOf(linear.kernel, *ranges, selection, target.psum_bank_bytes);
      stats.peak_banks = psum::PeakBanksInUse(linear, placement, target);
      return PsumAllocation{std::move(linear.kernel), std::move(placement), std::move(stats)};
    }
    const std::vector<NodeId> chosen = psum::ChooseSpillSet(neighbours, costs, selection);
    if (chosen.empty()) {
      return Fail(CannotAllocate(linear.kernel, *ranges, neighbours, costs, selection, banks));
    }
    std::vector<TensorId> tensors;
    std::vector<psum::SpillPlan> plans;
    for (const NodeId node : chosen) {
      tensors.push_back((*ranges)[node].tensor);
      plans.push_back(costs[node].plan);
      stats.spilled.push_back({linear.kernel.tensors[tensors.back()].name, costs[node].cycles});
    }
    psum::CopiedFunction copied = psum::InsertTensorCopies(linear, plans, tensors, counters);
    counters = copied.counters;
    if (counters.reload_copies > options.spill_cap) {
      return Fail(
          {Kind::kSpillCap, "spill-cap",
           fmt::format(
               "Warning: too many spills required, turning optimizations off: {} reload copies in "
               "PSUM, the cap is {}",
               counters.reload_copies, options.spill_cap),
           "", 0});
    }
    kernel = std::move(copied.kernel);
    is_spill_copy.resize(kernel.tensors.size(), false);
    for (const TensorId tensor : copied.psum_copies) is_spill_copy[tensor.value] = true;
  }
}

}  // namespace spillway
