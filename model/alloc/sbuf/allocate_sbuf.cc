#include "model/alloc/sbuf/allocate_sbuf.h"

#include <fmt/format.h>

#include <chrono>

#include "model/alloc/sbuf/colour_best.h"
#include "model/alloc/sbuf/commit_placement.h"
#include "model/alloc/sbuf/find_first_definitions.h"
#include "model/alloc/sbuf/find_last_uses.h"
#include "model/alloc/sbuf/find_loads.h"
#include "model/alloc/sbuf/find_partners.h"
#include "model/alloc/sbuf/insert_spill_code.h"
#include "model/alloc/sbuf/interference.h"
#include "model/alloc/sbuf/intervals.h"
#include "model/alloc/sbuf/live_ranges.h"
#include "model/alloc/sbuf/memloc_split.h"
#include "model/alloc/sbuf/renumber.h"
#include "model/alloc/sbuf/spill_set.h"
#include "model/alloc/sbuf/working_set.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

Homes Renamed(const Homes& homes, const Renumbered& renumbered) {
  Homes renamed;
  for (auto [copy, home] : homes) {
    if (!renumbered.new_id[copy]) continue;
    if (home.dram) home.dram = renumbered.new_id[*home.dram];
    if (home.load_source) home.load_source->tensor = *renumbered.new_id[home.load_source->tensor];
    renamed[*renumbered.new_id[copy]] = home;
  }
  return renamed;
}

}  // namespace

Result<SbufAllocation> AllocateSbuf(Kernel kernel, const Target& target, const Hwm& hwm,
                                    const SbufOptions& options) {
  const Bytes granule(SPILLWAY_FAULT(B2, target.sbuf_granule.value.value, 2));
  const std::int64_t limit =
      SPILLWAY_FAULT(B7, options.capacity.value,
                     options.capacity.value * target.sbuf_physical_bytes.value.value /
                         target.sbuf_usable_bytes.value.value);
  const Granules capacity(limit / granule.value);
  const auto start = std::chrono::steady_clock::now();
  SbufStats stats;
  stats.attempts = options.attempts;
  Homes homes;
  SpillCounters counters;
  Kernel function = SplitMemlocs(Linearize(Renumber(std::move(kernel)).kernel));
  while (true) {
    ++stats.iterations;
    Renumbered renumbered = Renumber(std::move(function));
    homes = SPILLWAY_FAULT(A17, Renamed(homes, renumbered), homes);
    LinearKernel linear = Linearize(std::move(renumbered.kernel));
    if (const std::optional<Error> oversized = FindOversized(linear, options.capacity, granule)) {
      return Fail(*oversized);
    }
    // In whole granules, since bytes that fill none hold no tensor.
    const Partners partners = FindPartners(linear, granule * capacity.value);
    const IdVector<TensorId, bool> loads = FindLoads(linear, FindFirstDefinitions(linear));
    const auto ranges = FindLiveRanges(linear, granule);
    const Nodes nodes = CreateIntervals(linear.kernel, ranges, partners, granule);
    const PressureProfile pressure =
        FindPressure(nodes.all, linear.point_count(), granule, options.capacity);
    const IdVector<TensorId, SpillCost> costs = FindCosts(linear, FindLastUses(linear), loads, hwm);
    const auto [stack, selection, attempt] =
        ColourBest(linear.kernel, nodes.all, costs, partners, linear.point_count(), capacity,
                   options.metric, options.attempts);
    stats.optimistic += static_cast<std::int64_t>(stack.optimistic.size());
    if (attempt > 0) ++stats.better_attempts;
    if (stats.iterations == 1) {
      stats.peak_live_bytes = pressure.peak_bytes;
      stats.demand_percent = pressure.demand_percent;
      if (!partners.note.empty()) stats.messages.push_back(partners.note);
    }
    if (options.progress) {
      options.progress(fmt::format("SB iteration {}: {} nodes, {} without a place",
                                   stats.iterations, nodes.all.size(), selection.unplaced.size()));
    }
    if (selection.unplaced.empty()) {
      Placement placement = CommitPlacement(linear.kernel, nodes, ranges, selection, granule);
      stats.reloads_removed = counters.reloads_removed;
      stats =
          FinishStats(std::move(stats), linear, nodes, placement, hwm, granule, options.capacity);
      return SbufAllocation{std::move(linear.kernel), std::move(placement), std::move(stats),
                            SbufOutcome::kFixpoint};
    }
    const std::vector<TensorId> spilled = ChooseSpillSet(nodes.all, costs, selection);
    if (spilled.empty()) {
      return Fail(
          CannotAllocate(linear.kernel, nodes.all, costs, selection, granule, options.capacity));
    }
    NoteSpills(linear.kernel, spilled, homes, costs, stats);
    Result<SpilledFunction> inserted = InsertSpillCode(
        linear, nodes.all, spilled, loads, homes, counters, capacity, granule, options.spill_cap);
    if (!inserted) return Fail(inserted.error());
    function = std::move(inserted->kernel);
    homes = std::move(inserted->homes);
    counters = inserted->counters;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() > options.watchdog_seconds) {
      return Fail({Kind::kLimit, "watchdog",
                   fmt::format("colouring SB took over {} seconds; {} iterations done",
                               options.watchdog_seconds, stats.iterations),
                   "", 0});
    }
  }
}

}  // namespace spillway
