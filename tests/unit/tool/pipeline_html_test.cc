// The page of task pipelines: what it says and that it is well formed, for all examples.
#include "sim/tool/pipeline_html.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/tool/broken_scale.h"
#include "sim/tool/html_pipeline_findings.h"
#include "sim/tool/html_pipeline_graph.h"
#include "sim/tool/html_pipeline_map.h"
#include "sim/tool/html_pipeline_tables.h"
#include "sim/tool/html_text.h"
#include "sim/tool/pipeline_boxes.h"
#include "tests/unit/tool/markup.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kManyStates = 1'000'000;

std::string Path(const std::string& file) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/" + file + ".pipeline.json";
}

PipelineReport ReportOf(const std::string& name, std::int64_t max_states = kManyStates) {
  return CheckPipelineFile(Path(name), max_states);
}

std::string PageOf(const PipelineReport& report) {
  return PipelineHtml({MakePipelineSection(report)});
}

std::vector<std::string> Examples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SPILLWAY_SOURCE_DIR) +
                                                               "/traces/pipelines")) {
    const std::string file = entry.path().filename().string();
    const std::size_t end = file.find(".pipeline.json");
    if (end != std::string::npos) names.push_back("pipelines/" + file.substr(0, end));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A report of one space, laid out without a file.
PipelineReport WithAllocations(std::vector<task::Allocation> allocations,
                               const std::vector<std::int64_t>& offsets,
                               std::vector<task::AliasGroup> groups = {}) {
  PipelineReport report;
  report.system.emplace();
  report.layout.emplace();
  std::int64_t total = 0;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    total = std::max(total, offsets[i] + allocations[i].size.value);
    report.layout->totals[allocations[i].space] = task::Units(total);
    report.layout->offsets.push_back(task::UnitOffset(offsets[i]));
    report.system->allocations.push_back(std::move(allocations[i]));
  }
  report.system->alias_groups = std::move(groups);
  return report;
}

task::Allocation Fixed(const std::string& name, std::int64_t at, std::int64_t size, int first,
                       int last) {
  return {name,
          task::MemorySpace::kSbuf,
          task::Units(size),
          1,
          {Partition(first), Partition(last)},
          task::UnitOffset(at)};
}

double Attribute(std::string_view tag, const std::string& name) {
  const std::size_t at = tag.find(" " + name + "=\"");
  if (at == std::string_view::npos) return -1;
  return std::strtod(std::string(tag.substr(at + name.size() + 3, 12)).c_str(), nullptr);
}

struct Rectangle {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

/// The places of all elements with that tag and class.
std::vector<Rectangle> Elements(const std::string& svg, const std::string& start) {
  std::vector<Rectangle> found;
  for (std::size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at + 1)) {
    const std::string_view tag = std::string_view(svg).substr(at, svg.find('>', at) - at);
    found.push_back({Attribute(tag, "x"), Attribute(tag, "y"), Attribute(tag, "width"),
                     Attribute(tag, "height")});
  }
  return found;
}

TEST(PipelineHtml, EveryExampleIsWellFormedAndNeedsNothingElse) {
  const std::vector<std::string> names = Examples();
  ASSERT_GE(names.size(), 31u);
  std::vector<PipelineSection> sections;
  for (const std::string& name : names) {
    const PipelineReport report = ReportOf(name);
    const std::string page = PageOf(report);
    EXPECT_EQ(FaultOf(page), "") << name;
    EXPECT_EQ(PageOf(ReportOf(name)), page) << name;
    for (const std::string_view reference : {"http", "src=", "url(", "@import", "<link", "<img"})
      EXPECT_EQ(page.find(reference), std::string::npos) << name << " " << reference;
    sections.push_back(MakePipelineSection(report));
    for (const task::Finding& finding : report.findings)
      EXPECT_THAT(page, HasSubstr(html::Escape(finding.text.substr(0, finding.text.find('\n')))))
          << name;
    std::size_t witnesses = 0;
    for (const task::Finding& finding : report.findings)
      witnesses += finding.witness && !finding.witness->rows.empty() ? 1 : 0;
    EXPECT_EQ(CountOf(page, "<table class=\"run\">"), witnesses) << name;
    EXPECT_EQ(CountOf(page, "<h4>Race "), report.verdict->races.size()) << name;
  }
  const std::string page = PipelineHtml(sections);
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_EQ(CountOf(page, "<section id=\"system"), names.size());
}

TEST(PipelineHtml, TheSeedsRaceIsATableWithAColumnForEachTaskAndTheCredits) {
  const std::string page = PageOf(ReportOf("pipelines/e0_seed"));
  EXPECT_THAT(page, HasSubstr("<h4>Race 1</h4>\n<p>Reader use vec #0 and Writer write sp #1 can "
                              "touch tmem[0:64) at the same time"));
  EXPECT_THAT(page, HasSubstr("<th class=\"n\">step</th><th>Writer</th><th>Reader</th><th "
                              "class=\"n\">sp<br/>empty, full</th><th>in progress</th>"));
  // The sixth and the last step of the seed's table.
  EXPECT_THAT(page, HasSubstr("<tr><td class=\"n\">6</td><td></td><td>release sp #0</td><td "
                              "class=\"n\">1, 0</td><td></td></tr>"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"last\"><td class=\"n\">8</td><td>write sp #1 "
                              "begins</td><td>use vec #0 begins</td><td class=\"n\">0, 0</td>"
                              "<td>Writer write sp #1; Reader use vec #0</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<h4>Clobber</h4>"));
  EXPECT_THAT(page, HasSubstr("<span>Iterations</span><b>2</b><small>4 would speak for longer "
                              "loops</small>"));
  EXPECT_THAT(page, HasSubstr("<span>States</span><b>29</b>"));
}

TEST(PipelineHtml, ADeadlockNamesEachBlockedTaskOnALineOfItsOwn) {
  const std::string page = PageOf(ReportOf("pipelines/e11_missing_release"));
  EXPECT_THAT(page, HasSubstr("<h4>Deadlock</h4>\n<p>"));
  const PipelineReport report = ReportOf("pipelines/e11_missing_release");
  ASSERT_EQ(report.verdict->blocked.size(), 2u);
  for (const task::BlockedTask& blocked : report.verdict->blocked)
    EXPECT_THAT(page, HasSubstr("<p>" + blocked.text + "</p>"));
  EXPECT_THAT(page, HasSubstr("<h4>Structure pipeline.unbalanced</h4>"));
}

TEST(PipelineHtml, ACleanSystemSaysSo) {
  const std::string page = PageOf(ReportOf("pipelines/e3_mainloop_epilogue"));
  EXPECT_THAT(page, HasSubstr("<span class=\"good\">✓ pass</span>"));
  EXPECT_THAT(page, HasSubstr("No race, no deadlock, no clobber"));
  EXPECT_THAT(page, HasSubstr("Total: 16,432 B (data 16,384 B + barriers 48 B) of 232,448 B "
                              "capacity, 7.1%. Saved by aliasing: 8,192 B."));
}

TEST(PipelineHtml, BadInputLackOfRoomAndInconclusiveAreShownAsSuch) {
  const std::string bad = PageOf(ReportOf("invalid_pipelines/layout_mixed"));
  EXPECT_THAT(bad, HasSubstr("<span class=\"bad\">✗ bad input</span>"));
  EXPECT_THAT(bad, HasSubstr("layout.mixed]</p>"));
  EXPECT_THAT(bad, Not(HasSubstr("<svg")));
  EXPECT_THAT(PageOf(ReportOf("invalid_pipelines/capacity")),
              HasSubstr("<span class=\"bad\">✗ can't be allocated</span>"));
  const std::string open = PageOf(ReportOf("pipelines/n1_neuroncore_ring", 1000));
  EXPECT_THAT(open, HasSubstr("<span class=\"unsure\">? inconclusive</span>"));
  EXPECT_THAT(open, HasSubstr("stopped at its bound"));
  EXPECT_THAT(open, HasSubstr("<b>more than 1,000</b>"));
  EXPECT_THAT(open, Not(HasSubstr("✓ pass")));
}

TEST(PipelineHtml, SeveralFilesHaveATableOfContents) {
  const std::string page = PipelineHtml({MakePipelineSection(ReportOf("pipelines/e0_seed")),
                                         MakePipelineSection(ReportOf("no_such_file"))});
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_THAT(page, HasSubstr("<h1>2 pipeline systems</h1>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#system1\">e0_seed</a></td><td><span class=\"bad\">✗ "
                              "fail</span></td><td class=\"codes\">race, wrong-value</td><td "
                              "class=\"n\">20</td><td class=\"n\">29</td><td>smem 16 B, tmem 64 "
                              "columns</td>"));
  EXPECT_THAT(page, HasSubstr("<section id=\"system2\">\n<h2>no_such_file.pipeline.json"));
}

TEST(PipelineHtml, HostileNamesStayText) {
  const std::string evil = "</title><script>alert(1)</script>\"' onload=\"x,\n&amp;";
  PipelineReport report = ReportOf("pipelines/e0_seed");
  report.file = evil;
  task::PipelineSystem& system = *report.system;
  system.name = evil;
  system.note = evil;
  for (auto& allocation : system.allocations) allocation.name = evil;
  for (auto& pipeline : system.pipelines) pipeline.name = evil;
  for (auto& resource : system.resources) resource.name = evil;
  for (auto& task : system.tasks) task.name = evil;
  for (auto& place : report.layout->barriers) place.name = evil;
  for (auto& finding : report.findings) {
    finding.text = evil;
    finding.code = evil;
    if (!finding.witness) continue;
    for (task::WitnessRow& row : finding.witness->rows) {
      for (auto& [task, text] : row.cells) text = evil;
      row.in_progress = {evil};
    }
  }
  report.error = Error{Kind::kSyntax, evil, evil, evil, 3};
  report.layout->arena.emplace();
  report.layout->arena->entries.push_back({evil, {}, {}, 1});
  const std::string page = PipelineHtml({MakePipelineSection(report), MakePipelineSection(report)});
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_EQ(CountOf(page, "<script>"), 1u);
  EXPECT_GE(CountOf(page, "&lt;script&gt;alert(1)&lt;/script&gt;"), 20u);
}

TEST(MemoryBoxes, PhasesStagesBarriersAndResourcesAreKnown) {
  const PipelineReport report = ReportOf("pipelines/e3_mainloop_epilogue");
  const std::vector<MemoryBox> boxes = MemoryBoxes(report, task::MemorySpace::kSmem);
  ASSERT_EQ(boxes.size(), 4u);
  EXPECT_EQ(boxes[0].name, "ab");
  EXPECT_EQ(boxes[0].kind, MemoryBoxKind::kAliased);
  EXPECT_THAT(boxes[0].cuts, ElementsAre(8192));
  EXPECT_THAT(boxes[0].resources, ElementsAre("ab"));
  EXPECT_EQ(boxes[1].phase, 1u);
  EXPECT_EQ(boxes[1].phases, 2u);
  EXPECT_EQ(boxes[2].name, "ab.barriers");
  EXPECT_EQ(boxes[2].kind, MemoryBoxKind::kBarriers);
  EXPECT_EQ(SavedUnits(boxes, 16432), 8192);
  EXPECT_THAT(MemoryBoxes(report, task::MemorySpace::kPsum), IsEmpty());
  EXPECT_EQ(SavedUnits(MemoryBoxes(report, task::MemorySpace::kTmem), 128), 0);
}

TEST(BrokenScale, IsInProportionWherePiecesHaveRoom) {
  const html::BrokenScale y({0, 100, 300}, {18, 18}, 300, 10);
  EXPECT_FALSE(y.is_broken());
  EXPECT_DOUBLE_EQ(y.At(0), 310);
  EXPECT_DOUBLE_EQ(y.At(100), 210);
  EXPECT_DOUBLE_EQ(y.At(300), 10);
  EXPECT_DOUBLE_EQ(y.At(50), 260);
  EXPECT_DOUBLE_EQ(y.At(-5), 310);
  EXPECT_DOUBLE_EQ(y.At(1000), 10);
}

TEST(BrokenScale, APieceThatIsTooThinIsDrawnHigher) {
  const html::BrokenScale y({0, 100'000, 100'016}, {18, 18}, 300, 10);
  EXPECT_TRUE(y.is_broken());
  EXPECT_DOUBLE_EQ(y.At(100'000), 28);
  EXPECT_DOUBLE_EQ(y.At(100'008), 19);
  EXPECT_GT(y.bottom(), 300);
}

TEST(LayoutMap, PhasesAndFixedBoxesOverOnePlaceStandSideBySide) {
  // a | b over one place, then c alone above them.
  std::vector<task::Allocation> allocations;
  for (const char* name : {"a", "b", "c"}) {
    allocations.push_back({name,
                           task::MemorySpace::kSbuf,
                           task::Units(64),
                           1,
                           {Partition(0), Partition(128)},
                           std::nullopt});
  }
  const PipelineReport groups = WithAllocations(
      allocations, {0, 0, 64}, {{{{task::AllocationId(0)}, {task::AllocationId(1)}}}});
  const std::string map = html::LayoutMap(groups, task::MemorySpace::kSbuf);
  const std::vector<Rectangle> phases = Elements(map, "<rect class=\"copy box\" ");
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].top, phases[1].top);
  EXPECT_NEAR(phases[0].left + phases[0].width, phases[1].left, 1.1);
  const std::vector<Rectangle> plain = Elements(map, "<rect class=\"ordinary box\" ");
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_NEAR(plain[0].width, 2 * phases[0].width, 2);
  EXPECT_LE(plain[0].top + plain[0].height, phases[0].top + 1.1) << "offsets grow upwards";
  const PipelineReport fixed =
      WithAllocations({Fixed("x", 0, 64, 0, 128), Fixed("y", 32, 64, 0, 128),
                       Fixed("z", 64, 64, 0, 128), Fixed("w", 200, 8, 0, 128)},
                      {0, 32, 64, 200});
  const std::vector<Rectangle> boxes =
      Elements(html::LayoutMap(fixed, task::MemorySpace::kSbuf), "<rect class=\"fixed box\" ");
  ASSERT_EQ(boxes.size(), 4u);
  EXPECT_EQ(boxes[0].left, boxes[2].left) << "z begins where x ends";
  EXPECT_GT(boxes[1].left, boxes[0].left);
  EXPECT_NEAR(boxes[3].width, 2 * boxes[0].width, 2) << "w meets nobody";
}

TEST(LayoutMap, EveryBoxIsHighEnoughForItsNameAndNoTwoBoxesMeet) {
  for (const std::string& name : Examples()) {
    const PipelineReport report = ReportOf(name);
    for (const task::MemorySpace space : task::kMemorySpaces) {
      const std::string map = html::LayoutMap(report, space);
      std::vector<Rectangle> boxes;
      for (const char* style : {"ordinary", "copy", "fixed", "save"}) {
        for (const Rectangle& box : Elements(map, fmt::format("<rect class=\"{} box\" ", style)))
          boxes.push_back(box);
      }
      EXPECT_EQ(boxes.size(), MemoryBoxes(report, space).size()) << name;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        EXPECT_GE(boxes[i].height, 16) << name;
        for (std::size_t k = 0; k < i; ++k) {
          const bool apart = boxes[i].left >= boxes[k].left + boxes[k].width ||
                             boxes[k].left >= boxes[i].left + boxes[i].width ||
                             boxes[i].top >= boxes[k].top + boxes[k].height ||
                             boxes[k].top >= boxes[i].top + boxes[i].height;
          EXPECT_TRUE(apart) << name << " " << i << " " << k;
        }
      }
      // Labels of the axis keep a line's distance.
      std::vector<Rectangle> ticks = Elements(map, "<text class=\"tick\" ");
      std::sort(ticks.begin(), ticks.end(),
                [](const Rectangle& a, const Rectangle& b) { return a.top < b.top; });
      for (std::size_t i = 1; i < ticks.size(); ++i)
        EXPECT_GE(ticks[i].top - ticks[i - 1].top, 14) << name;
    }
  }
}

TEST(LayoutMap, WhatARaceTouchesIsMarkedWithItsNumber) {
  const std::string map = html::LayoutMap(ReportOf("pipelines/e1b_use_before_release_two_stages"),
                                          task::MemorySpace::kTmem);
  EXPECT_EQ(CountOf(map, "<rect class=\"race\" x="), 1u);
  EXPECT_THAT(map, HasSubstr("touched by race 1"));
  EXPECT_THAT(map, HasSubstr("<title>race 1: Reader use vec #0 and Writer write sp #1</title>"));
  EXPECT_EQ(CountOf(html::LayoutMap(ReportOf("pipelines/e1_use_before_release"),
                                    task::MemorySpace::kTmem),
                    "class=\"race\""),
            0u);
}

TEST(LayoutMap, RacesOverOnePlaceShareAMarkAndPlacesAreFew) {
  PipelineReport report = ReportOf("pipelines/e0_seed");
  const task::Race race = report.verdict->races.at(0);
  report.verdict->races.assign(12, race);
  const auto marks = [&] {
    return CountOf(html::LayoutMap(report, task::MemorySpace::kTmem), "<rect class=\"race\" x=");
  };
  EXPECT_EQ(marks(), 1u);
  EXPECT_THAT(html::LayoutMap(report, task::MemorySpace::kTmem),
              HasSubstr("touched by races 1, 2, 3, 4, 5, 6, 7, 8, …"));
  for (std::size_t i = 0; i < 12; ++i)
    report.verdict->races[i].range.begin = task::UnitOffset(static_cast<std::int64_t>(i));
  EXPECT_EQ(marks(), 9u);
}

TEST(LayoutMap, BoxesBeyondTheDrawnAreCounted) {
  std::vector<task::Allocation> allocations;
  std::vector<std::int64_t> offsets;
  for (int i = 0; i < 130; ++i) {
    allocations.push_back(Fixed(fmt::format("m{}", i), i * 10, 10, 0, 128));
    offsets.push_back(i * 10);
  }
  const PipelineReport report = WithAllocations(std::move(allocations), offsets);
  const std::string map = html::LayoutMap(report, task::MemorySpace::kSbuf);
  EXPECT_EQ(Elements(map, "<rect class=\"fixed box\" ").size(), 100u);
  EXPECT_THAT(map, HasSubstr("30 more not drawn"));
}

TEST(PartitionMap, BandsHaveTheirPlaceAndWhatTwoShareIsMarked) {
  const std::string map = html::PartitionMap(ReportOf("pipelines/n3_partition_bands_overlap"),
                                             task::MemorySpace::kSbuf);
  const std::vector<Rectangle> bands = Elements(map, "<rect class=\"fixed box\" ");
  ASSERT_EQ(bands.size(), 2u);
  // 912 pixels from 78 on are 128 partitions: [0, 64) and [32, 96).
  EXPECT_DOUBLE_EQ(bands[0].left, 78);
  EXPECT_DOUBLE_EQ(bands[1].left, 78 + 912 / 4);
  EXPECT_DOUBLE_EQ(bands[0].width, bands[1].width);
  const std::vector<Rectangle> shared = Elements(map, "<rect class=\"shared\" x=");
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_DOUBLE_EQ(shared[0].left, bands[1].left);
  EXPECT_NEAR(shared[0].width, 912.0 / 4, 1.1);
  const std::vector<Rectangle> names = Elements(map, "<text class=\"name\" ");
  ASSERT_EQ(names.size(), 2u);
  EXPECT_GE(std::abs(names[0].top - names[1].top), 14) << "no label on another";
  EXPECT_EQ(CountOf(html::PartitionMap(ReportOf("pipelines/n2_partition_bands_disjoint"),
                                       task::MemorySpace::kSbuf),
                    "class=\"shared\""),
            0u);
}

TEST(PartitionMap, IsLeftOutWhereEverythingReachesAllPartitions) {
  EXPECT_EQ(html::PartitionMap(ReportOf("pipelines/n1_neuroncore_ring"), task::MemorySpace::kSbuf),
            "");
  EXPECT_EQ(html::PartitionMap(ReportOf("pipelines/e0_seed"), task::MemorySpace::kSmem), "");
}

TEST(RoleMatrix, SaysWhoAcquiresCommitsWaitsAndReleases) {
  const std::string matrix = html::RoleMatrix(ReportOf("pipelines/e3_mainloop_epilogue"));
  EXPECT_THAT(matrix, HasSubstr("<th>ab<br/><small>2 stages, dma → matrix</small></th>"));
  EXPECT_THAT(matrix,
              HasSubstr("<tr><th scope=\"row\">Load</th><td><span class=\"produces\">acquire "
                        "2</span><br/><span class=\"produces\">commit 2 (dma)</span></td>"));
  EXPECT_THAT(matrix,
              HasSubstr("<tr><th scope=\"row\">Mma</th><td><span class=\"consumes\">wait 2</span>"
                        "<br/><span class=\"consumes\">release 2 (matrix)</span></td>"));
  EXPECT_EQ(html::RoleMatrix(ReportOf("pipelines/u1_uninitialized")), "");
}

TEST(ResourceTable, HasPlaceGraphAndAccesses) {
  const std::string table = html::ResourceTable(ReportOf("pipelines/e3_mainloop_epilogue"));
  EXPECT_THAT(table, HasSubstr("<tr><td>ab</td><td>ab smem[0:8192) + 8192 a stage</td><td>ab</td>"
                               "<td></td><td>Load.dma write 2, Mma.matrix read 2</td></tr>"));
  EXPECT_THAT(table, HasSubstr("<tr><td>acc</td><td>acc tmem[0:128)</td><td>acc</td><td>ab</td>"));
}

TEST(UsageTable, HasBarrierArraysAndPartitions) {
  EXPECT_THAT(html::BarrierTable(ReportOf("pipelines/g1_merge")),
              HasSubstr("6 used of 32 in whole chunks; entries of equal arrivals: [0, 5) of 1 "
                        "arrival, [5, 6) of 128 arrivals."));
  EXPECT_EQ(html::BarrierTable(ReportOf("pipelines/e0_seed")), "");
  EXPECT_THAT(
      html::UsageTable(ReportOf("pipelines/n3_partition_bands_overlap"), task::MemorySpace::kSbuf),
      HasSubstr("<tr><td>b</td><td>fixed</td><td class=\"n\">512</td><td "
                "class=\"n\">1</td><td class=\"n\">1,024</td><td class=\"n\">1,536</td>"
                "<td class=\"n\">[32, 96)</td></tr>"));
}

TEST(DependencyGraph, UpstreamStandsToTheLeftAndNoTwoBoxesMeet) {
  int drawn = 0;
  for (const std::string& name : Examples()) {
    const PipelineReport report = ReportOf(name);
    const std::string graph = html::DependencyGraph(report);
    EXPECT_EQ(graph.empty(), !report.system->graph.has_value()) << name;
    const std::vector<Rectangle> boxes = Elements(graph, "<rect class=\"node\" ");
    drawn += boxes.empty() ? 0 : 1;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_GE(boxes[i].width, 50) << name;
      EXPECT_LE(boxes[i].left + boxes[i].width, 1000) << name;
      for (std::size_t k = 0; k < i; ++k) {
        EXPECT_TRUE(boxes[i].left != boxes[k].left ||
                    std::abs(boxes[i].top - boxes[k].top) >= boxes[i].height + 4)
            << name;
      }
    }
  }
  EXPECT_GE(drawn, 5);
  // acc depends on ab, stg on acc: in file order the resources are ab, stg, acc.
  const std::vector<Rectangle> chain = Elements(
      html::DependencyGraph(ReportOf("pipelines/e3_mainloop_epilogue")), "<rect class=\"node\" ");
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_LT(chain[0].left + chain[0].width, chain[2].left);
  EXPECT_LT(chain[2].left + chain[2].width, chain[1].left);
}

TEST(DependencyGraph, CirclesAndSelfEdgesAreDrawnAndLargeGraphsAreLeftOut) {
  PipelineReport report = ReportOf("pipelines/e3_mainloop_epilogue");
  const task::ResourceId a(0);
  const task::ResourceId b(1);
  report.system->graph = {{{a, {a, b}}, {b, {a}}}};
  const std::string circle = html::DependencyGraph(report);
  EXPECT_EQ(CountOf(circle, "<rect class=\"node\""), 2u);
  EXPECT_EQ(CountOf(circle, "<path class=\"edge\""), 3u);
  EXPECT_EQ(CountOf(circle, "<path class=\"arrow\""), 2u) << "a self-edge is a loop";
  EXPECT_EQ(FaultOf(circle), "");
  report.system->graph->clear();
  EXPECT_EQ(html::DependencyGraph(report), "");
  for (int i = 0; i < 20; ++i) {
    report.system->resources.push_back({fmt::format("r{}", i), {}, {}, {}, {}, false});
    const task::ResourceId last(report.system->resources.size() - 1);
    report.system->graph->push_back({last, {task::ResourceId(last.value - 1)}});
  }
  EXPECT_EQ(html::DependencyGraph(report), "") << "21 levels";
}

TEST(WitnessRows, ManyPipelinesShowTheCreditsOfTheFirst) {
  const PipelineReport report = ReportOf("pipelines/e0_seed");
  task::Witness witness = *report.findings[0].witness;
  witness.pipelines.resize(40, witness.pipelines[0]);
  for (task::WitnessRow& row : witness.rows) row.credits.resize(40);
  const std::string rows = html::WitnessRows(*report.system, witness);
  EXPECT_EQ(CountOf(rows, "empty, full"), 16u);
  EXPECT_THAT(rows, HasSubstr("Credits of 16 of 40 pipelines."));
}

TEST(WitnessRows, LongRunsShowTheirEndAndCountWhatIsBefore) {
  const PipelineReport report = ReportOf("pipelines/x2_slots_meet_late");
  ASSERT_FALSE(report.findings.empty());
  const task::Witness& witness = *report.findings[0].witness;
  ASSERT_GT(witness.rows.size(), 60u);
  const std::string rows = html::WitnessRows(*report.system, witness);
  EXPECT_EQ(CountOf(rows, "<tr"), 62u);  // head, what is before, 60 rows
  EXPECT_THAT(rows,
              HasSubstr(fmt::format(
                  "{} steps before",
                  witness.skipped_rows + static_cast<std::int64_t>(witness.rows.size()) - 60)));
}

}  // namespace
}  // namespace spillway
