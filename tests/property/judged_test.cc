// Kernels that failed once, then random ones, through the allocator and all judges.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "properties/campaign.h"
#include "properties/found_corpus.h"
#include "properties/problem_outcome.h"
#include "properties/rapidcheck_kernels.h"
#include "properties/shrink_problem.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

AllocateFunction Colourer() {
  return [](const Kernel& kernel, const Target& target, const Hwm& hwm,
            const AllocateOptions& options) { return Allocate(kernel, target, hwm, options); };
}

std::string Describe(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}: {}\n", KeyOf(finding), finding.text);
  }
  return text;
}

TEST(FoundKernels, GetNoObjectionAnyMore) {
  const std::vector<FoundKernel> found =
      ReplayFound(SPILLWAY_SOURCE_DIR "/traces/found", Colourer(), AllJudges());
  EXPECT_FALSE(found.empty());
  for (const FoundKernel& one : found) {
    EXPECT_FALSE(one.unreadable) << one.unreadable->ToString();
    EXPECT_TRUE(one.findings.empty()) << one.file << "\n" << Describe(one.findings);
  }
}

// RapidCheck draws the bytes of the problem, so that it can shrink them.
TEST(JudgedProblems, GetNoObjectionWhateverTheirBytes) {
  CheckProperty("judged bytes", 400, [] {
    const std::vector<std::uint8_t> bytes = *AnyBytes(300);
    const ProblemOutcome outcome = JudgeProblem(DecodeProblem(bytes), Colourer(), AllJudges());
    if (!outcome.findings.empty()) RC_FAIL(Describe(outcome.findings));
  });
}

TEST(JudgedProblems, OfACampaignGetNoObjectionAndCoverWhatTheyMust) {
  CampaignOptions options;
  options.cases = 1500;
  options.workers = 2;
  options.judges = AllJudges();
  options.allocate = Colourer();
  const CampaignReport report = RunCampaign(options);
  EXPECT_EQ(report.cases, options.cases);
  for (const CampaignFailure& failure : report.failures) {
    ADD_FAILURE() << "case " << failure.index << ": " << KeyOf(failure.finding) << "\n"
                  << failure.finding.text;
  }
  for (const std::string& shortfall : report.coverage.Shortfalls()) ADD_FAILURE() << shortfall;
}

// An allocator that puts everything at byte 0.
Result<Allocation> Careless(const Kernel& kernel, const Target& target, const Hwm& hwm,
                            const AllocateOptions& options) {
  Result<Allocation> allocation = Allocate(kernel, target, hwm, options);
  if (!allocation) return allocation;
  for (std::size_t t = 0; t < allocation->kernel.tensors.size(); ++t) {
    if (allocation->kernel.tensors[TensorId(t)].space != Space::kSbuf) continue;
    for (Address& address : allocation->placement.addresses[TensorId(t)]) {
      address.byte = ByteOffset(0);
    }
  }
  return allocation;
}

CampaignOptions CarelessCampaign(int workers) {
  CampaignOptions options;
  options.cases = 12;
  options.workers = workers;
  options.judges = {JudgeId::kOverlap};
  options.allocate = Careless;
  return options;
}

TEST(Campaign, ShrinksWhatItFindsToAFewInstructions) {
  const CampaignReport report = RunCampaign(CarelessCampaign(1));
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].finding.kind, Kind::kOverlap);
  EXPECT_LE(report.failures[0].problem.kernel.instructions.size(), 4u);
  EXPECT_GT(report.failures[0].cases, 1);
}

TEST(Campaign, FindsTheSameWithAnyNumberOfWorkers) {
  const CampaignReport one = RunCampaign(CarelessCampaign(1));
  const CampaignReport three = RunCampaign(CarelessCampaign(3));
  EXPECT_EQ(one.coverage.counts, three.coverage.counts);
  ASSERT_EQ(one.failures.size(), three.failures.size());
  for (std::size_t f = 0; f < one.failures.size(); ++f) {
    EXPECT_EQ(one.failures[f].index, three.failures[f].index);
    EXPECT_EQ(one.failures[f].cases, three.failures[f].cases);
    EXPECT_EQ(one.failures[f].problem.kernel, three.failures[f].problem.kernel);
  }
}

TEST(Campaign, OutlivesAnAllocatorThatCrashesAndOneThatHangs) {
  for (const bool hangs : {false, true}) {
    CampaignOptions options;
    options.cases = 16;
    options.workers = 2;
    options.case_seconds = 0.3;
    options.shrink_seconds = 1;
    options.allocate = [&](const Kernel& kernel, const Target& target, const Hwm& hwm,
                           const AllocateOptions& limits) -> Result<Allocation> {
      if (kernel.instructions.size() > 12) {
        while (hangs) pause();
        abort();
      }
      return Allocate(kernel, target, hwm, limits);
    };
    const CampaignReport report = RunCampaign(options);
    ASSERT_EQ(report.failures.size(), 1u) << hangs;
    EXPECT_EQ(report.failures[0].finding.judge, JudgeId::kProgress);
    EXPECT_EQ(report.failures[0].finding.place, hangs ? "hangs" : "crashes");
    EXPECT_LT(report.cases, options.cases);
    EXPECT_GT(report.cases, 0u);
  }
}

TEST(Campaign, FailsWhereTheGeneratorMissesAFloor) {
  Coverage blind;
  for (int i = 0; i < 1000; ++i) blind.Add(Only(Bin::kLoops));
  const std::vector<std::string> shortfalls = blind.Shortfalls();
  EXPECT_GT(shortfalls.size(), 10u);
  for (const std::string& shortfall : shortfalls) {
    EXPECT_EQ(shortfall.find("have loops"), std::string::npos) << shortfall;
  }
}

TEST(Shrinking, LeavesTheSameFailureAndSaysSo) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const AllocationProblem problem = CampaignProblem(9, index);
    const std::vector<Finding> findings =
        JudgeProblem(problem, Careless, {JudgeId::kOverlap}).findings;
    if (findings.empty() || problem.kernel.instructions.size() < 20) continue;
    const ShrunkProblem shrunk =
        ShrinkProblem(problem, Careless, {JudgeId::kOverlap}, findings.front());
    EXPECT_LE(shrunk.problem.kernel.instructions.size(), 4u);
    EXPECT_EQ(shrunk.finding.kind, findings.front().kind);
    const Result<AllocationProblem> again = ProblemOf(WithLimits(shrunk.problem));
    ASSERT_TRUE(again);
    EXPECT_FALSE(JudgeProblem(*again, Careless, {JudgeId::kOverlap}).findings.empty());
    return;
  }
  FAIL() << "no long case failed";
}

}  // namespace
}  // namespace spillway
