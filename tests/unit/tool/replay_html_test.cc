// The replay's section of the page of task pipelines, and its rows beside the checks.
#include "sim/tool/html_replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "sim/tool/html_text.h"
#include "sim/tool/pipeline_html.h"
#include "sim/tool/replay_agreement.h"
#include "sim/tool/replay_rows.h"
#include "tests/unit/tool/markup.h"
#include "traces/pipeline_reader.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kManyStates = 1'000'000;

ReplayPlan Plan(std::uint64_t seed = 1) { return {FindTarget("trn2").value(), seed}; }

std::string Traces(const std::string& file) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/" + file + ".pipeline.json";
}

PipelineReport Played(const std::string& name, std::uint64_t seed = 1) {
  return CheckPipelineFile(Traces("pipelines/" + name), kManyStates, Plan(seed));
}

/// A file of the test's own.
PipelineReport PlayedText(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + name + ".pipeline.json";
  std::ofstream(path) << text;
  PipelineReport report = CheckPipelineFile(path, kManyStates, Plan());
  std::filesystem::remove(path);
  return report;
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
    if (end != std::string::npos) names.push_back(file.substr(0, end));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::int64_t CountOfCode(const std::vector<ReplayRow>& rows, const std::string& code) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const ReplayRow& row) { return row.code == code; });
}

/// Everything that the rows are made of.
struct Prepared {
  explicit Prepared(const std::string& name)
      : system(ReadPipelineFile(Traces("pipelines/" + name)).value()),
        program(task::Unroll(system, task::LayOutSystem(system).value()).value()),
        verdict(task::CheckSystem(system, program).value()),
        replay(
            task::ReplaySystem(system, program, FindTarget("trn2").value(), {.seed = 1}).value()) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  std::vector<ReplayRow> Rows() const { return ReplayRows(system, program, verdict, replay); }
  bool RowsContradict() const {
    const std::vector<ReplayRow> rows = Rows();
    return std::any_of(rows.begin(), rows.end(),
                       [](const ReplayRow& row) { return row.contradicts; });
  }

  task::PipelineSystem system;
  task::Program program;
  task::Verdict verdict;
  task::Replay replay;
};

TEST(ReplayHtml, EveryExampleHasTheLineOfTheTextReportAndEqualBytes) {
  for (const std::string& name : Examples()) {
    const PipelineReport report = Played(name);
    ASSERT_TRUE(report.replay && report.replay->replay) << name;
    const std::string page = PageOf(report);
    EXPECT_EQ(FaultOf(page), "") << name;
    EXPECT_EQ(PageOf(Played(name)), page) << name;
    const std::string line = ReplayLine(*report.replay);
    EXPECT_THAT(page, HasSubstr("<h3>Replay</h3>\n<p>" + html::Escape(line) + "</p>")) << name;
    EXPECT_THAT(ToText(report), HasSubstr("  replay: " + line + "\n")) << name;
    const task::Replay& replay = *report.replay->replay;
    EXPECT_EQ(replay.runs, 1 + replay.jittered_runs + replay.delayed_runs + replay.directed_runs)
        << name;
    EXPECT_EQ(CountOf(page, "<table class=\"barriers\">"), replay.blocked.empty() ? 0u : 1u)
        << name;
  }
}

TEST(ReplayHtml, ADeadlockHasATableOfItsBarriersAndWhoWaits) {
  const std::string page = PageOf(Played("e11_missing_release"));
  EXPECT_THAT(page, HasSubstr("2 tasks blocked; the checks say the same</p>"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>deadlock</td><td>A:acquire p</td><td></td><td></td><td>never "
                        "happens</td><td>found</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<p>Barriers when nothing could happen any more:</p>"));
  EXPECT_THAT(page,
              HasSubstr("<tr><th>barrier</th><th>phase</th><th>parity</th><th>arrivals "
                        "lacking</th><th>bytes pending</th><th>waited for by</th></tr>\n"
                        "<tr><td>p full[0]</td><td>1</td><td>1</td><td>1 of 1: A</td><td>0</td>"
                        "<td>B:wait p</td></tr>"));
}

TEST(ReplayHtml, ARaceHasBothAccessesItsMemoryAndItsNumberAmongTheFindings) {
  const std::string page = PageOf(Played("e0_seed"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>race</td><td>Reader use vec #0</td><td>Writer write sp "
                        "#1</td><td>tmem[0:64)</td><td>at the same time in a run</td><td>found "
                        "as race 1</td></tr>"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>wrong-value</td><td>Reader read sp #1</td><td>Reader use vec "
                        "#0</td><td>tmem[0:64)</td><td>the first read what the second had "
                        "written</td><td>found</td></tr>"));
  EXPECT_THAT(page,
              HasSubstr("<span>Runs</span><b>4</b><small>nominal latencies, jitter of seed 1, "
                        "2 with one actor held back</small>"));
}

TEST(ReplayHtml, WithoutASeedNoRunIsDrawnFromOne) {
  const std::string page = PageOf(Played("e0_seed", 0));
  EXPECT_THAT(page, HasSubstr("<span>Runs</span><b>3</b><small>nominal latencies, 2 with one actor "
                              "held back</small>"));
}

TEST(ReplayHtml, ACleanSystemHasNoTable) {
  const std::string page = PageOf(Played("e3_mainloop_epilogue"));
  EXPECT_THAT(page, HasSubstr(", no finding; the checks say the same</p>"));
  EXPECT_THAT(page, Not(HasSubstr("<table class=\"replay\">")));
  EXPECT_THAT(page, Not(HasSubstr("<table class=\"barriers\">")));
}

TEST(ReplayHtml, WhatWasNotPlayedSaysWhy) {
  const std::string without =
      PageOf(CheckPipelineFile(Traces("pipelines/e11_missing_release"), kManyStates));
  EXPECT_THAT(without, HasSubstr("<h3>Replay</h3>\n<p>Not played: --no-replay was given. Verdict "
                                 "and exit status are the checks' alone.</p>"));
  EXPECT_THAT(without, Not(HasSubstr("<table class=\"barriers\">")));
  const std::string bad =
      PageOf(CheckPipelineFile(Traces("invalid_pipelines/layout_mixed"), kManyStates, Plan()));
  EXPECT_THAT(bad, HasSubstr("<p>Not played: the checks came to no verdict, see above.</p>"));
  PipelineReport large = Played("e3_mainloop_epilogue");
  large.replay = ReplayReport();
  large.replay->skipped = Error{Kind::kLimit, "limit", "tasks: expected at most <64>", "", 0};
  EXPECT_THAT(PageOf(large),
              HasSubstr("<p class=\"message\">REPLAY SKIPPED: tasks: expected at most "
                        "&lt;64&gt;</p>"));
}

TEST(ReplayHtml, TheTableOfContentsSaysWhatBecameOfEachReplay) {
  PipelineReport skipped = Played("e3_mainloop_epilogue");
  skipped.replay = ReplayReport();
  skipped.replay->skipped = Error{Kind::kLimit, "limit", "too large", "", 0};
  PipelineReport wrong = Played("e3_mainloop_epilogue");
  wrong.replay->contradictions = {"race: none"};
  std::string words;
  for (const PipelineReport& report : {Played("e3_mainloop_epilogue"), skipped, wrong,
                                       CheckPipelineFile(Traces("pipelines/e0_seed"), kManyStates)})
    words += html::ReplayWord(report) + "\n";
  EXPECT_EQ(words, "agrees\nskipped\n<span class=\"bad\">contradicts</span>\nnot played\n");
  const std::string page =
      PipelineHtml({MakePipelineSection(Played("e0_seed")), MakePipelineSection(skipped)});
  EXPECT_THAT(page, HasSubstr("<th>memory</th><th>replay</th></tr>"));
  EXPECT_THAT(page, HasSubstr("<td>smem 16 B, tmem 64 columns</td><td>agrees</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<td>skipped</td></tr>"));
}

TEST(ReplayHtml, AContradictionIsLoud) {
  const Prepared of("e0_seed");
  PipelineReport report = CheckPipelineFile(Traces("pipelines/e0_seed"), kManyStates);
  // Checks that have missed everything.
  report.verdict = task::Verdict();
  report.findings.clear();
  report.replay = PlayPipeline(of.system, of.program, *report.verdict, Plan());
  const std::string page = PageOf(report);
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_THAT(page, HasSubstr("<span class=\"bad\">✗ fail</span>"));
  EXPECT_THAT(page,
              HasSubstr("THE CHECKS SAY OTHERWISE</p>\n<p class=\"message\">error: the static "
                        "checks and the replay contradict each other"));
  EXPECT_THAT(page, HasSubstr("<li>race: Reader use vec and Writer write sp: the replay finds it, "
                              "the checks don&#39;t</li>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"bad\">NOT FOUND</td></tr>"));
}

TEST(ReplayHtml, AStaleFillIsANoteWithBothAccesses) {
  const PipelineReport report = PlayedText("stale_page", R"({
    "system": "stale_page", "version": 1,
    "allocations": [{"name": "p", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
    "tasks": [{"name": "A", "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"},
                                    {"acquire": "p"}, {"commit": "p"}]},
              {"name": "B", "ops": [{"loop": 2, "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]}]}]
  })");
  ASSERT_FALSE(report.error.has_value()) << report.error->ToString();
  const std::string page = PageOf(report);
  EXPECT_THAT(page, HasSubstr("✓ pass"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>note: stale-fill</td><td>B read p #1</td><td>A write p "
                        "#0</td><td>smem[0:64)</td><td>expected fill #1, found fill #0</td><td>"
                        "accepted: the read may see that write</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<li>note: stale-fill: B read p #1 got what A write p #0 wrote"));
}

TEST(ReplayHtml, APhaseSkewIsARowThatNoCheckLooksFor) {
  const PipelineReport report = PlayedText("skew_page", R"({
    "system": "skew_page", "version": 1,
    "allocations": [{"name": "p", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "p", "regions": [{"allocation": "p"}], "pipeline": "p"}],
    "tasks": [{"name": "A", "ops": [{"loop": 3, "ops": [{"acquire": "p"}, {"write": "p"}, {"commit": "p"}]}]},
              {"name": "B", "ops": [{"loop": 3, "ops": [{"wait": "p"}, {"read": "p"}, {"release": "p"}]}]},
              {"name": "C", "ops": [{"loop": 3, "ops": [{"wait": "p"}]}]}]
  })");
  ASSERT_FALSE(report.error.has_value()) << report.error->ToString();
  const std::string page = PageOf(report);
  EXPECT_THAT(page,
              HasSubstr("<tr><td>phase-skew</td><td>C wait p #0</td><td></td><td></td><td>its "
                        "barrier may be two phases ahead</td><td>no check looks for it</td>"));
  EXPECT_THAT(page, HasSubstr("<li>phase-skew: C may wait for fill #0 of p"));
}

TEST(ReplayHtml, LongListsSayOfHowMany) {
  PipelineReport report = Played("e0_seed");
  ReplayReport& replay = *report.replay;
  replay.rows.assign(230, ReplayRow(replay.rows.front()));
  replay.contradictions.resize(70, "race: x");
  replay.barriers = {{"barrier", "phase"}, {{"p full[0]", "0"}}, 1234};
  const std::string section = html::ReplaySection(report);
  EXPECT_THAT(section, HasSubstr("200 of 230 rows; the JSON report lists all."));
  EXPECT_EQ(CountOf(section, "<tr><td>race</td>"), 200u);
  EXPECT_EQ(CountOf(section, "<li>race: x</li>"), 50u);
  EXPECT_THAT(section, HasSubstr("<li>50 of 70; the JSON report lists all</li>"));
  EXPECT_THAT(section, HasSubstr("And 1,234 more."));
}

TEST(ReplayHtml, HostileNamesStayText) {
  const std::string evil = "</td><script>alert(1)</script>\"' onload=\"x,\n&amp;";
  PipelineReport report = Played("e11_missing_release");
  ReplayReport& replay = *report.replay;
  replay.target = evil;
  replay.rows.push_back({evil, evil, evil, evil, evil, evil, true});
  replay.contradictions = {evil};
  replay.findings = {{evil, evil}};
  replay.notes = {{evil, evil}};
  for (std::string& name : replay.barriers.head) name = evil;
  for (std::vector<std::string>& row : replay.barriers.rows)
    for (std::string& cell : row) cell = evil;
  EXPECT_EQ(FaultOf(PageOf(report)), "");
  EXPECT_EQ(CountOf(html::ReplaySection(report), "<script>"), 0u);
  replay.skipped = Error{Kind::kLimit, evil, evil, evil, 3};
  EXPECT_EQ(FaultOf(PageOf(report)), "");
}

TEST(ReplayRows, AreAsManyAsTheReplaysFindingsAndContradictNowhere) {
  int races = 0;
  int clobbers = 0;
  for (const std::string& name : Examples()) {
    const Prepared of(name);
    const std::vector<ReplayRow> rows = of.Rows();
    EXPECT_FALSE(of.RowsContradict()) << name;
    const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    EXPECT_EQ(CountOfCode(rows, "race"), size(of.replay.races)) << name;
    EXPECT_EQ(CountOfCode(rows, "deadlock"), size(of.replay.blocked)) << name;
    EXPECT_GE(CountOfCode(rows, "wrong-value"), size(of.replay.clobbers)) << name;
    EXPECT_EQ(CountOfCode(rows, "stale-fill"), of.replay.races.empty() ? size(of.replay.stale) : 0)
        << name;
    for (const ReplayRow& row : rows) {
      if (row.code == "race" || row.code == "wrong-value") {
        EXPECT_THAT(row.place, HasSubstr("[")) << name;
      }
    }
    races += static_cast<int>(CountOfCode(rows, "race"));
    clobbers += static_cast<int>(CountOfCode(rows, "wrong-value"));
  }
  EXPECT_GE(races, 10);
  EXPECT_GE(clobbers, 5);
}

// A row contradicts exactly where the comparison of the whole does: for every finding that one of
// the two sides loses.
TEST(ReplayRows, ContradictExactlyWhereTheAgreementDoes) {
  int contradictions = 0;
  int agreements = 0;
  const auto compare = [&](const Prepared& of, const std::string& what) {
    const bool contradicts = !ReplayContradictions(of.system, of.verdict, of.replay).empty();
    EXPECT_EQ(of.RowsContradict(), contradicts) << what;
    ++(contradicts ? contradictions : agreements);
  };
  for (const std::string& name : Examples()) {
    Prepared of(name);
    compare(of, name);
    const auto without_each = [&](auto& list, const std::string& what) {
      const auto whole = list;
      for (std::size_t i = 0; i < whole.size(); ++i) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        compare(of, fmt::format("{} without {} {}", name, what, i));
        list = whole;
      }
    };
    without_each(of.verdict.blocked, "a blocked task of the checks");
    without_each(of.verdict.races, "a race of the checks");
    without_each(of.verdict.clobbers, "a clobber of the checks");
    without_each(of.verdict.uninitialized, "an uninitialized read of the checks");
    without_each(of.replay.blocked, "a blocked task of the replay");
    without_each(of.replay.races, "a race of the replay");
    without_each(of.replay.clobbers, "a clobber of the replay");
    without_each(of.replay.uninitialized, "an uninitialized read of the replay");
  }
  EXPECT_GE(contradictions, 40);
  EXPECT_GE(agreements, 31);
}

TEST(ReplayRows, PartitionBandsArePartOfThePlace) {
  const std::vector<ReplayRow> rows = Prepared("n3_partition_bands_overlap").Rows();
  ASSERT_FALSE(rows.empty());
  EXPECT_THAT(rows[0].place, HasSubstr(" of partitions [32, 64)"));
}

TEST(ReplayRows, AnUninitializedReadHasItsMemory) {
  const std::vector<ReplayRow> rows = Prepared("u1_uninitialized").Rows();
  ASSERT_EQ(CountOfCode(rows, "uninitialized-read"), 1);
  EXPECT_EQ(rows[0].checks, "found");
  EXPECT_THAT(rows[0].place, HasSubstr("["));
}

TEST(ReplayRows, WhatOnlyTheChecksFindStandsBehind) {
  Prepared of("e9_crossing_waits");
  of.replay = task::Replay();
  const std::vector<ReplayRow> rows = of.Rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (ReplayRow{"deadlock", "A:wait q", "", "", "NOT SEEN", "found", true}));
}

}  // namespace
}  // namespace spillway
