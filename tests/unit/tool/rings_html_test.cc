// The section of a placed kernel on the page of task pipelines.
#include "sim/tool/rings_html.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/tool/html_text.h"
#include "sim/tool/options.h"
#include "sim/tool/pipeline_command.h"
#include "tests/unit/tool/markup.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Traces(const std::string& file) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/" + file + ".kernel.jsonl";
}

RingsReport ReportOf(const std::string& file) { return CheckKernelRings(Traces(file), ""); }

std::string PageOf(const RingsReport& report) { return PipelineHtml({MakeRingsSection(report)}); }

RingRow Ring(std::int64_t stages, std::int64_t needed) {
  RingRow row;
  row.tensor = "tiles";
  row.fills = 6;
  row.stages = stages;
  row.stage_bytes = Bytes(1024);
  row.is_pipeline = true;
  row.depth = rings::RingDepth{needed - 1, needed, "", ""};
  row.live = 1;
  return row;
}

TEST(RingsHtml, ACleanKernelHasItsRingsItsSystemAndItsPlacement) {
  const RingsReport report = ReportOf("allocated/prefetched_rms_norm");
  const std::string page = PageOf(report);
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_EQ(PageOf(ReportOf("allocated/prefetched_rms_norm")), page);
  EXPECT_THAT(page, HasSubstr("<h2>prefetched_rms_norm <span class=\"good\">✓ pass</span></h2>"));
  EXPECT_THAT(page, HasSubstr("<tr><td>hidden_tiles</td><td>sbuf</td><td class=\"n\">6</td><td "
                              "class=\"n\">3</td><td class=\"n\">3</td><td class=\"n\">2</td><td "
                              "class=\"n\">1</td><td>exact; with 2: wrong-value: Dve read "
                              "hidden_tiles_fill0 #0 may see Load.dma write hidden_tiles_fill2 "
                              "#0</td><td>nothing</td></tr>"));
  EXPECT_THAT(page,
              HasSubstr("<td>1 more than the order needs, 2,048 B a partition</td><td>nothing "
                        "must: 1 stage would be enough and give back 2,048 B a partition"));
  EXPECT_THAT(page, HasSubstr("<h3>Findings of the rings</h3>\n<p>No race, no deadlock"));
  EXPECT_THAT(page, HasSubstr("<h3>Findings of the placement</h3>\n<p>No race, no deadlock"));
  EXPECT_THAT(page, HasSubstr("<h3>Replay</h3>\n<p>Not played"));
  EXPECT_GE(CountOf(page, "<h3>SBUF layout</h3>"), 2u) << "of the rings and of the placement";
  EXPECT_THAT(page, HasSubstr("<th>hidden_tiles<br/><small>3 stages, dma → thread</small></th>"));
  EXPECT_THAT(page, HasSubstr("<summary>System of the placement</summary>"));
}

TEST(RingsHtml, ARingThatIsTooShortIsRedAndSaysWhatWouldDo) {
  const RingsReport report = ReportOf("allocated/broken/double_buffer_too_short");
  const std::string page = PageOf(report);
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_THAT(page, HasSubstr("<span class=\"bad\">✗ fail</span>"));
  EXPECT_THAT(page, HasSubstr("<span class=\"bad\">too short: wrong-value: Dve read"));
  EXPECT_THAT(page, HasSubstr("<td>give it 3 stages, 2,048 B a partition more, or let the streams "
                              "wait for a free stage before they fill it</td>"));
  EXPECT_THAT(page, HasSubstr("<b>4</b><small>of the placement, with 36 waits</small>"));
  EXPECT_EQ(CountOf(page, "<h4>Clobber</h4>"), 4u);
  EXPECT_EQ(CountOf(page, "<table class=\"run\">"), 3u) << "the others are of the same kind";
}

TEST(RingsHtml, LargerKernelsAreWellFormedAndSayWhatTheyLeaveOut) {
  for (const char* const name : {"rms_norm_qkv", "pipelined_attention"}) {
    const RingsReport report = ReportOf(std::string("allocated/") + name);
    const std::string page = PageOf(report);
    EXPECT_EQ(FaultOf(page), "") << name;
    for (const std::string_view reference : {"http", "src=", "url(", "@import", "<link", "<img"})
      EXPECT_EQ(page.find(reference), std::string::npos) << name << " " << reference;
    for (const RingRow& row : report.rows)
      EXPECT_THAT(page, HasSubstr("<tr><td>" + html::Shortened(row.tensor, 60) + "</td>")) << name;
    EXPECT_LT(page.size(), std::size_t{1} << 19) << name;
    const task::PipelineSystem& system = *report.rings->judged.system;
    EXPECT_THAT(page, HasSubstr(fmt::format(", {} allocations, {} resources. Where that is more",
                                            system.allocations.size(), system.resources.size())));
    if (system.resources.size() > 200) {
      EXPECT_THAT(page, HasSubstr("206 more not drawn"));
      EXPECT_THAT(page, HasSubstr("200 of 306 allocations, by offset."));
      EXPECT_THAT(page, HasSubstr("200 of 364 resources."));
    }
  }
}

TEST(RingsHtml, AKernelThatCannotBeJudgedSaysWhyAndDrawsNothing) {
  const std::string page = PageOf(ReportOf("rolled/double_buffered"));
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_THAT(page, HasSubstr("<span class=\"bad\">✗ bad input</span>"));
  EXPECT_THAT(page, HasSubstr("tensor loaded: expected 2 places, one a block, found 0"));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
  EXPECT_THAT(page, Not(HasSubstr("<h3>")));
  EXPECT_THAT(PageOf(ReportOf("rolled/nowhere")), HasSubstr("<h2>nowhere.kernel.jsonl"));
}

TEST(RingsHtml, WhatIsCutOrLeftOutIsSaid) {
  RingsReport report = ReportOf("allocated/broken/double_buffer_too_short");
  EXPECT_THAT(PageOf(report), Not(HasSubstr("longest loops are cut")));
  report.is_cut = true;
  report.placement->events = kMostWitnessEvents + 1;
  for (int i = 0; i < 250; ++i) report.rows.push_back(Ring(2, 2));
  for (int i = 0; i < 130; ++i) {
    task::Allocation more = report.rings->judged.system->allocations[task::AllocationId(0)];
    more.name = fmt::format("more{}", i);
    report.rings->judged.layout->offsets.push_back(task::UnitOffset(100'000 + 10 * i));
    more.size = task::Units(10);
    report.rings->judged.system->allocations.push_back(more);
  }
  const std::string page = PageOf(report);
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_THAT(page, HasSubstr("<p class=\"message\">The longest loops are cut"));
  EXPECT_THAT(page,
              HasSubstr("they are drawn for up to 20,000 events, and this system has 20,001"));
  EXPECT_THAT(page, HasSubstr("200 of 252 tensors; the JSON report lists all."));
  EXPECT_THAT(page, HasSubstr("more not drawn"));
  EXPECT_THAT(page, HasSubstr(fmt::format("{} allocations",
                                          report.rings->judged.system->allocations.size())));
}

TEST(RingsHtml, AdviceFollowsFromStagesAndNeed) {
  EXPECT_EQ(RingAdvice(Ring(2, 2)), "nothing");
  EXPECT_EQ(RingAdvice(Ring(5, 2)),
            "nothing must: 2 stages would be enough and give back 3,072 B a partition, and fills "
            "would wait for the reads before them");
  RingRow row = Ring(2, 4);
  row.depth->as_it_is = "wrong-value";
  EXPECT_EQ(RingAdvice(row),
            "give it 4 stages, 2,048 B a partition more, or let the streams wait for a free stage "
            "before they fill it");
  row.live.reset();  // a stream would wait for itself
  EXPECT_EQ(RingAdvice(row), "give it 4 stages, 2,048 B a partition more");
  row = Ring(3, 2);
  row.reason = Error{Kind::kLimit, "ring-places", "fill 2", "", 0};
  EXPECT_EQ(RingAdvice(row), "put fill k in place k mod stages, so that its places take turns");
  row.depth.reset();
  EXPECT_EQ(RingAdvice(row), "");
}

TEST(RingsHtml, HostileNamesStayText) {
  const std::string evil = "</title><script>alert(1)</script>\"' onload=\"x,\n&amp;";
  RingsReport report = ReportOf("allocated/broken/double_buffer_too_short");
  report.file = evil;
  report.kernel = evil;
  report.written = evil;
  report.error = Error{Kind::kLimit, evil, evil, evil, 3};
  report.not_written = report.error;
  for (RingRow& row : report.rows) {
    row.tensor = evil;
    row.reason = report.error;
    row.unknown = report.error;
  }
  for (std::optional<SystemFindings>* found : {&report.rings, &report.placement}) {
    for (task::Finding& finding : (*found)->judged.findings) {
      finding.text = evil;
      finding.code = evil;
      finding.witness.reset();
    }
    for (task::Pipeline& pipeline : (*found)->judged.system->pipelines) pipeline.name = evil;
    for (task::Task& task : (*found)->judged.system->tasks) task.name = evil;
  }
  const std::string page = PipelineHtml({MakeRingsSection(report), MakeRingsSection(report)});
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_EQ(CountOf(page, "<script>"), 1u);
}

TEST(PipelineCommand, DrawsAKernelBesideAPipelineFile) {
  const std::filesystem::path page =
      std::filesystem::path(::testing::TempDir()) / "kernel_and_file.html";
  const std::string kernel = Traces("allocated/broken/double_buffer_too_short");
  const std::string file =
      std::string(SPILLWAY_SOURCE_DIR) + "/traces/pipelines/e1_use_before_release.pipeline.json";
  const std::string path = page.string();
  const char* const words[] = {"spillway",   "pipeline", kernel.c_str(),
                               file.c_str(), "--report", path.c_str()};
  const ParsedArguments parsed = ParseArguments(6, words);
  ASSERT_FALSE(parsed.stop) << parsed.text;
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(PipelineCommand(parsed.options), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("1 pass, 1 fail"));
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  std::filesystem::remove(page);
  EXPECT_EQ(FaultOf(text.str()), "");
  EXPECT_THAT(text.str(),
              HasSubstr("<a href=\"#system1\">double_buffer_too_short</a></td><td><span "
                        "class=\"bad\">✗ fail</span></td><td class=\"codes\">too short, "
                        "wrong-value</td><td class=\"n\">230</td><td></td>"));
  EXPECT_THAT(text.str(), HasSubstr("<a href=\"#system2\">e1_use_before_release</a>"));
  EXPECT_THAT(text.str(), HasSubstr("<td>agrees</td></tr>"));
}

}  // namespace
}  // namespace spillway
