#include "sim/tool/html_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/tool/markup.h"
#include "tests/unit/tool/sample_run.h"

namespace spillway {
namespace {

constexpr std::size_t kSizeBound = 2'000'000;

std::string PageOf(const KernelRun& run) { return HtmlReport({MakeSection(run)}); }

// A kernel of `count` blocks of 16 bytes, each alive for two points, in columns of 64.
KernelRun ManyBlocks(int count) {
  KernelRun run = SampleRun();
  KernelBuilder b("many", "trn2");
  Placement placement;
  for (int i = 0; i < count; ++i) {
    const TensorId t =
        b.Sbuf(fmt::format("tensor_with_a_rather_long_name_{}", i), DType::kFloat32, {128, 4});
    b.Instruction("memset").Out("dst", b.Whole(t));
    b.Copy(b.Whole(t), b.Whole(t));
    placement.addresses.push_back({{Partition(0), ByteOffset(i % 64 * 3072)}});
  }
  run.allocation->kernel = b.Build();
  run.allocation->placement = placement;
  run.simulation.reset();
  run.report.sbuf.capacity_bytes = Bytes(196608);
  return run;
}

TEST(HtmlReport, APageIsWellFormed) {
  EXPECT_EQ(FaultOf(PageOf(SampleRun())), "");
  EXPECT_EQ(FaultOf(HtmlReport({})), "");
  EXPECT_EQ(FaultOf(HtmlReport({MakeSection(SampleRun()), MakeSection(KernelRun{})})), "");
}

TEST(HtmlReport, TheCheckerOfMarkupSeesFaults) {
  EXPECT_NE(FaultOf("<p><b></p></b>"), "");
  EXPECT_NE(FaultOf("<p>"), "");
  EXPECT_NE(FaultOf("<p>a & b</p>"), "");
  EXPECT_NE(FaultOf("<p class=x></p>"), "");
  EXPECT_NE(FaultOf("<p class=\"a>b\"></p>"), "");
}

TEST(HtmlReport, APageNeedsNothingElse) {
  const std::string page = PageOf(SampleRun());
  for (const std::string_view reference : {"http", "src=", "url(", "@import", "<link", "<img"}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
}

TEST(HtmlReport, HostileNamesStayText) {
  const std::string evil = "</title><script>alert(1)</script>\"' onload=\"x,\n&amp;";
  KernelRun run = SampleRun({evil, evil, evil});
  run.report.file = evil;
  run.report.message = evil;
  run.report.verdict = Verdict::kFail;
  run.report.notes = {evil};
  run.report.data.opaque_ops = {evil};
  run.report.spill.per_tensor = {{evil, 3.0}};
  run.report.checks[0].violations = {{Kind::kOverlap, {evil, evil}, Space::kSbuf, {}, {}, evil}};
  run.report.checks[0].name = evil;
  run.report.engines[0].first = evil;
  const std::string page = HtmlReport({MakeSection(run), MakeSection(run)});
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_EQ(CountOf(page, "<script>"), 1u);
  EXPECT_GE(
      CountOf(page, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; onload=&quot;x,\\n&amp;amp;"),
      10u);
}

TEST(HtmlReport, EqualRunsGiveEqualBytesWhateverTheClockSays) {
  KernelRun slow = SampleRun();
  slow.report.seconds.read = 12.5;
  slow.report.seconds.allocate = 3.25;
  slow.report.seconds.check = 7.75;
  slow.report.seconds.simulate = 99.5;
  EXPECT_EQ(PageOf(SampleRun()), PageOf(slow));
}

TEST(HtmlReport, TwentyThousandBlocksStayBelowTwoMegabytes) {
  const std::string page = PageOf(ManyBlocks(20'000));
  EXPECT_LT(page.size(), kSizeBound);
  EXPECT_EQ(FaultOf(page), "");
  EXPECT_NE(page.find("20,000 blocks"), std::string::npos);
}

TEST(HtmlReport, ViolationsBeyondTheShownAreCounted) {
  KernelRun run = SampleRun();
  run.report.verdict = Verdict::kFail;
  for (int i = 0; i < 5000; ++i) {
    run.report.checks[0].violations.push_back(
        {Kind::kOverlap, {"a", "b"}, Space::kSbuf, {}, {}, fmt::format("pair {}", i)});
  }
  const std::string page = PageOf(run);
  EXPECT_NE(page.find("200 of 5,000"), std::string::npos);
  EXPECT_NE(page.find(">pair 199<"), std::string::npos);
  EXPECT_EQ(page.find(">pair 200<"), std::string::npos);
}

TEST(HtmlReport, ARunThatEndedEarlySaysWhy) {
  KernelRun run;
  run.report.file = "broken.kernel.jsonl";
  run.report.verdict = Verdict::kBadInput;
  run.report.message = "broken.kernel.jsonl:3: error: unknown key";
  const ReportSection section = MakeSection(run);
  EXPECT_EQ(section.name, "broken.kernel.jsonl");
  EXPECT_NE(section.body.find("broken.kernel.jsonl:3: error: unknown key"), std::string::npos);
  EXPECT_EQ(section.body.find("<svg"), std::string::npos);
}

TEST(HtmlReport, SpillsShowPredictionAndMeasurement) {
  const std::string page = PageOf(SampleRun());
  EXPECT_NE(page.find("Predicted: 2,500 cycles"), std::string::npos);
  EXPECT_NE(
      page.find("Measured: 2,800 cycles with a save or reload in flight, 112.0% of the prediction"),
      std::string::npos);
  EXPECT_NE(page.find("<td>copy</td><td class=\"n\">2,500</td><td class=\"n\">100.0%</td>"),
            std::string::npos);
}

TEST(HtmlReport, ChecksThatDidNotApplyDontPass) {
  KernelRun run = SampleRun();
  run.report.checks = {{"overlap", 3, {}}, {"accumulate", 0, {}}};
  const std::string page = PageOf(run);
  EXPECT_EQ(CountOf(page, "✓ holds"), 1u);
  EXPECT_EQ(CountOf(page, "– doesn&#39;t apply") + CountOf(page, "– doesn't apply"), 1u);
}

TEST(HtmlReport, SeveralKernelsGetAnOverviewThatLinksThem) {
  KernelRun second = SampleRun();
  second.report.kernel = "other";
  second.report.verdict = Verdict::kFail;
  const std::string page = HtmlReport({MakeSection(SampleRun()), MakeSection(second)});
  EXPECT_NE(page.find("<a href=\"#kernel2\">other</a></td><td><span class=\"bad\">✗ fail</span>"),
            std::string::npos);
  EXPECT_NE(page.find("<section id=\"kernel2\">"), std::string::npos);
}

TEST(HtmlReport, AFileThatCantBeWrittenIsAnError) {
  const Result<void> written = WriteHtmlReport({}, "/nonexistent-folder/report.html");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().kind, Kind::kFile);
}

}  // namespace
}  // namespace spillway
