// What every layout of task pipelines' memory and barriers obeys. Source: ts_pipelines.md §2, §5.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/task/layout_blocks.h"
#include "model/alloc/task/layout_builder.h"
#include "model/alloc/task/place_barriers.h"
#include "tests/property/run_property.h"

namespace spillway::task {
namespace {

std::int64_t Draw(std::int64_t from, std::int64_t below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(from, below));
}

/// Items of which the first ones are plain; groups hold indices of the others.
struct Problem {
  std::vector<LayoutItem> items;
  std::size_t plain = 0;
  std::vector<std::vector<std::vector<std::size_t>>> groups;
};

Problem AnyProblem() {
  Problem problem;
  const auto add = [&] {
    problem.items.push_back({Units(Draw(1, 200)), std::int64_t{1} << Draw(0, 9)});
    return problem.items.size() - 1;
  };
  problem.plain = static_cast<std::size_t>(Draw(0, 6));
  for (std::size_t i = 0; i < problem.plain; ++i) add();
  for (std::int64_t groups = Draw(0, 4); groups > 0; --groups) {
    auto& phases = problem.groups.emplace_back(static_cast<std::size_t>(Draw(2, 4)));
    for (std::vector<std::size_t>& phase : phases) {
      for (std::int64_t members = Draw(1, 4); members > 0; --members) phase.push_back(add());
    }
  }
  return problem;
}

/// The problem through the builder: offsets by item, and the total.
PlacedBlocks Built(const Problem& problem) {
  std::vector<Region<Smem>> regions;
  for (const LayoutItem& item : problem.items) {
    ByteRegionOptions options;
    options.name = "r" + std::to_string(regions.size());
    options.size = Bytes(item.size.value);
    options.alignment = item.alignment;
    regions.push_back(std::move(Region<Smem>::Create(std::move(options)).value()));
  }
  LayoutBuilder<Smem> builder;
  for (std::size_t i = 0; i < problem.plain; ++i) RC_ASSERT(builder.Add(regions[i]).has_value());
  for (const auto& group : problem.groups) {
    AliasPhases<Smem> phases;
    for (const auto& phase : group) {
      phases.emplace_back();
      for (const std::size_t i : phase) phases.back().push_back(regions[i]);
    }
    RC_ASSERT(builder.AddAliasGroup(phases).has_value());
  }
  const Result<Layout> layout = std::move(builder).Build();
  RC_ASSERT(layout.has_value());
  PlacedBlocks placed;
  placed.total = layout->total;
  for (const Region<Smem>& region : regions)
    placed.offsets.push_back(UnitOffset(region->offset()->value));
  return placed;
}

/// The same through the flat groups that pipeline files use.
PlacedBlocks Flat(const Problem& problem) {
  std::vector<GroupBlock> groups;
  for (const auto& phases : problem.groups) groups.push_back(MeasurePhases(problem.items, phases));
  return PlaceBlocks(problem.items, groups);
}

struct Block {
  UnitOffset begin;
  UnitOffset end;
  std::int64_t alignment = 1;
};

/// Plain items and groups in the order of step 1 of the algorithm, where they ended up.
std::vector<Block> BlocksOf(const Problem& problem, const PlacedBlocks& placed) {
  std::vector<Block> blocks;
  const auto end = [&](std::size_t i) { return placed.offsets[i] + problem.items[i].size; };
  for (std::size_t i = 0; i < problem.plain; ++i)
    blocks.push_back({placed.offsets[i], end(i), problem.items[i].alignment});
  for (const auto& phases : problem.groups) {
    Block block{placed.offsets[phases.front().front()], UnitOffset(0), 1};
    for (const auto& phase : phases) {
      for (const std::size_t i : phase) {
        block.begin = std::min(block.begin, placed.offsets[i]);
        block.end = std::max(block.end, end(i));
        block.alignment = std::max(block.alignment, problem.items[i].alignment);
      }
    }
    blocks.push_back(block);
  }
  return blocks;
}

TEST(TaskLayout, PlacesBlocksByAlignmentWithoutOverlapOrNeedlessPadding) {
  Shares shares;
  CheckProperty("task layout", 3000, [&] {
    const Problem problem = AnyProblem();
    const PlacedBlocks placed = Built(problem);
    for (std::size_t i = 0; i < problem.items.size(); ++i)
      RC_ASSERT(placed.offsets[i].value % problem.items[i].alignment == 0);
    for (const auto& phases : problem.groups) {
      for (const auto& phase : phases) {
        RC_ASSERT(placed.offsets[phase.front()] == placed.offsets[phases.front().front()]);
        for (std::size_t k = 1; k < phase.size(); ++k)
          RC_ASSERT(placed.offsets[phase[k - 1]] + problem.items[phase[k - 1]].size <=
                    placed.offsets[phase[k]]);
      }
    }
    std::vector<Block> blocks = BlocksOf(problem, placed);
    const bool has_equal = std::set<std::int64_t>([&] {
                             std::set<std::int64_t> alignments;
                             for (const Block& block : blocks) alignments.insert(block.alignment);
                             return alignments;
                           }())
                               .size() < blocks.size();
    // In step 1's order, so a stable sort by alignment alone must give ascending places.
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const Block& a, const Block& b) { return a.alignment > b.alignment; });
    UnitOffset cursor;
    bool padded = false;
    for (const Block& block : blocks) {
      RC_ASSERT(block.begin >= cursor);
      RC_ASSERT((block.begin - cursor).value < block.alignment);
      padded = padded || block.begin > cursor;
      cursor = block.end;
    }
    RC_ASSERT(placed.total == cursor - UnitOffset(0));
    // Nothing but the order of registration decides.
    const PlacedBlocks again = Built(problem);
    RC_ASSERT(again.offsets == placed.offsets);
    shares.Case();
    shares.Count("groups", !problem.groups.empty());
    shares.Count("plain and groups", !problem.groups.empty() && problem.plain > 0);
    shares.Count("equal alignments", has_equal);
    shares.Count("padding", padded);
  });
  shares.AtLeast("groups", 60);
  shares.AtLeast("plain and groups", 40);
  shares.AtLeast("equal alignments", 20);
  shares.AtLeast("padding", 30);
}

TEST(TaskLayout, AnAltOfSeqsIsAFlatGroupByteForByte) {
  Shares shares;
  CheckProperty("alias trees", 2000, [&] {
    const Problem problem = AnyProblem();
    const PlacedBlocks built = Built(problem);
    const PlacedBlocks flat = Flat(problem);
    RC_ASSERT(built.offsets == flat.offsets);
    RC_ASSERT(built.total == flat.total);
    bool later_phase_is_largest = false;
    for (const auto& phases : problem.groups) {
      const auto first = MeasurePhases(problem.items, std::span(phases).first(1)).size;
      later_phase_is_largest =
          later_phase_is_largest || MeasurePhases(problem.items, phases).size > first;
    }
    shares.Case();
    shares.Count("a later phase is the largest", later_phase_is_largest);
  });
  shares.AtLeast("a later phase is the largest", 30);
}

TEST(TaskBarriers, RunsCoverExactlyTheUsedEntriesAndNoTwoShareOne) {
  Shares shares;
  CheckProperty("task barriers", 2000, [&] {
    std::vector<BarrierAllocation> allocations;
    for (std::int64_t count = Draw(1, 12); count > 0; --count) {
      allocations.push_back({"b" + std::to_string(count), BarrierCount(Draw(1, 40)),
                             std::int64_t{1} << Draw(0, 4),
                             Draw(0, 4) == 0 ? BarrierClass::kV1 : BarrierClass::kV0});
    }
    const BarrierLayout layout = PlaceBarriers(allocations);
    RC_ASSERT(layout.padded.value % kBarrierChunk.value == 0);
    std::vector<std::int64_t> arrivals(static_cast<std::size_t>(layout.padded.value), 0);
    std::int64_t used = 0;
    for (const BarrierEntry& entry : layout.entries) {
      for (std::int64_t i = 0; i < entry.count.value; ++i) {
        const std::int64_t at = entry.offset.value + i;
        RC_ASSERT(at >= 0);
        RC_ASSERT(at < layout.padded.value);
        RC_ASSERT(arrivals[static_cast<std::size_t>(at)] == 0);
        arrivals[static_cast<std::size_t>(at)] = entry.arrivals;
        used = std::max(used, at + 1);
      }
    }
    RC_ASSERT(layout.used.value == used);
    std::vector<std::int64_t> by_runs(arrivals.size(), 0);
    for (const BarrierRun& run : layout.runs) {
      for (std::int64_t at = run.begin.value; at < run.end.value; ++at)
        by_runs[static_cast<std::size_t>(at)] = run.arrivals;
    }
    RC_ASSERT(by_runs == arrivals);
    shares.Case();
    shares.Count("several chunks", layout.padded > kBarrierChunk);
    shares.Count("several runs", layout.runs.size() > 1);
  });
  shares.AtLeast("several chunks", 50);
  shares.AtLeast("several runs", 50);
}

}  // namespace
}  // namespace spillway::task
