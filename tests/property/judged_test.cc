// Kernels that failed once, then random ones, through the allocator and all judges.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "properties/campaign.h"
#include "properties/fits_unshared.h"
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
  options.cases = 1000;
  options.workers = 2;
  options.judges = AllJudges();
  options.allocate = Colourer();
  const CampaignReport report = RunCampaign(options);
  EXPECT_EQ(report.cases, options.cases);
  for (const CampaignFailure& failure : report.failures) {
    ADD_FAILURE() << "case " << failure.index << ": " << KeyOf(failure.finding) << "\n"
                  << failure.finding.text;
  }
  for (const std::string& shortfall : report.shortfalls) ADD_FAILURE() << shortfall;
  EXPECT_EQ(report.judged + report.refused, report.cases);
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
  options.shrink_seconds = 600;  // to the end, on any machine
  options.allocate = Careless;
  return options;
}

TEST(Campaign, ShrinksWhatItFindsToAFewInstructions) {
  const CampaignReport report = RunCampaign(CarelessCampaign(1));
  ASSERT_FALSE(report.failures.empty());
  for (const CampaignFailure& failure : report.failures) {
    EXPECT_EQ(failure.finding.kind, Kind::kOverlap);
    EXPECT_LE(failure.problem.kernel.instructions.size(), 8u);
  }
}

TEST(Campaign, KeepsFailuresAtOneSiteTogetherAndOthersApart) {
  const CampaignReport report = RunCampaign(CarelessCampaign(1));
  std::int64_t cases = 0;
  for (const CampaignFailure& failure : report.failures) {
    cases = std::max(cases, failure.cases);
    for (const CampaignFailure& other : report.failures) {
      EXPECT_EQ(&failure == &other, failure.finding.site == other.finding.site);
    }
  }
  EXPECT_GT(report.failures.size(), 1u);
  EXPECT_GT(cases, 1);
}

// Numbers that processes share.
struct Shared {
  std::atomic<int> calls{0};
};
std::shared_ptr<Shared> MakeShared() {
  void* page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  SPILLWAY_CHECK(page != MAP_FAILED, "a page can be shared");
  return {new (page) Shared, [](Shared* shared) { munmap(shared, sizeof(Shared)); }};
}

TEST(Campaign, TellsOfFailuresThatDoNotRepeat) {
  const std::shared_ptr<Shared> shared = MakeShared();
  CampaignOptions options;
  options.cases = 3;
  options.judges = {JudgeId::kOverlap};
  options.allocate = [&](const Kernel& kernel, const Target& target, const Hwm& hwm,
                         const AllocateOptions& limits) -> Result<Allocation> {
    if (shared->calls++ < 3) return Fail({Kind::kAllocator, "planted", "fell over", "", 0});
    return Allocate(kernel, target, hwm, limits);
  };
  const CampaignReport report = RunCampaign(options);
  EXPECT_FALSE(report.ok());
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].finding.place, "not-repeatable");
  EXPECT_NE(report.failures[0].finding.text.find("fell over"), std::string::npos);
  EXPECT_EQ(report.failures[0].cases, 3);
  EXPECT_FALSE(report.failures[0].repeats);
  EXPECT_EQ(report.failures[0].problem.kernel.instructions.size(),
            CampaignProblem(options.seed, 0).kernel.instructions.size());
}

Result<Allocation> RefuseAll(const Kernel&, const Target&, const Hwm&, const AllocateOptions&) {
  return Fail({Kind::kCapacity, "planted", "too big", "", 0});
}

TEST(Campaign, OfRefusalsAloneProvesNothing) {
  CampaignOptions options;
  options.cases = 20;
  options.judges = options.rare_judges = {JudgeId::kOverlap};
  options.allocate = RefuseAll;
  const CampaignReport report = RunCampaign(options);
  EXPECT_EQ(report.cases, 20u);
  EXPECT_EQ(report.judged, 0u);
  EXPECT_EQ(report.rare_cases, 0u);
  EXPECT_EQ(report.refused, 20u);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.shortfalls.size(), 1u);
}

TEST(Refusals, OfWhatFitsSideBySideAreFindingsAndOthersAreNot) {
  std::int64_t found = 0;
  std::int64_t excused = 0;
  for (std::uint64_t index = 0; index < 60; ++index) {
    AllocationProblem problem = CampaignProblem(9, index);
    for (Tensor& tensor : problem.kernel.tensors) tensor.at.clear();
    problem.psum_banks = UsablePsumBanks(problem.target);
    problem.sbuf_bytes = problem.target.sbuf_usable_bytes.value;
    const ProblemOutcome roomy = JudgeProblem(problem, RefuseAll, {});
    ASSERT_TRUE(roomy.refusal);
    found += roomy.findings.empty() ? 0 : 1;
    for (const Finding& finding : roomy.findings) EXPECT_EQ(finding.place, "refused");
    // Nothing but tensors of no bytes fits into this.
    problem.sbuf_bytes = Bytes(1);
    excused += JudgeProblem(problem, RefuseAll, {}).findings.empty() ? 1 : 0;
  }
  EXPECT_GE(found, 40);
  EXPECT_EQ(excused, 60);
}

// The bound must not be larger than what the colourer can do.
TEST(Refusals, OfTheColourerAreNeverFindings) {
  CheckProperty("side by side fits", 300, [] {
    AllocationProblem problem = DecodeProblem(*AnyBytes(300));
    if (*rc::gen::arbitrary<bool>()) problem.sbuf_bytes = problem.target.sbuf_usable_bytes.value;
    RC_CLASSIFY(FitsUnshared(problem), "fits");
    const ProblemOutcome outcome = JudgeProblem(problem, Colourer(), {});
    if (!outcome.findings.empty()) RC_FAIL(Describe(outcome.findings));
  });
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
    EXPECT_EQ(report.judged + report.refused, report.cases);
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

// 9 of 200 cases spilled PSUM, as 5 % at least must: with one seed in twenty chance does that.
TEST(Campaign, ASmallRunMayMissAFloorByChanceAndALargeOneMayNot) {
  const auto shortfalls = [](int cases, int spilled) {
    Coverage run;
    for (int i = 0; i < cases; ++i) {
      BinSet bins = 0;
      for (std::size_t b = 0; b < kBins; ++b) bins |= Only(static_cast<Bin>(b));
      bins &= ~Only(Bin::kRefused);
      run.Add(i < spilled ? bins : bins & ~Only(Bin::kPsumSpilled));
    }
    return run.Shortfalls().size();
  };
  EXPECT_EQ(shortfalls(200, 9), 0u);
  EXPECT_EQ(shortfalls(200, 1), 1u);
  EXPECT_EQ(shortfalls(10'000, 450), 1u);
}

TEST(Campaign, HoldsOtherAllocatorsToTheKernelsBinsAlone) {
  Coverage run;
  BinSet kernel_bins = 0;
  for (int b = 0; b < static_cast<int>(Bin::kSpilled); ++b)
    kernel_bins |= Only(static_cast<Bin>(b));
  for (int i = 0; i < 300; ++i) run.Add(kernel_bins | (i % 2 == 0 ? Only(Bin::kRefused) : 0));
  EXPECT_TRUE(run.Shortfalls(Floors::kKernels).empty());
  EXPECT_GE(run.Shortfalls(Floors::kColourer).size(), 10u);
  Coverage blind;
  for (int i = 0; i < 300; ++i) blind.Add(kernel_bins & ~Only(Bin::kLoops));
  EXPECT_EQ(blind.Shortfalls(Floors::kKernels).size(), 1u);
}

TEST(Shrinking, LeavesTheSameFailureAndSaysSo) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const AllocationProblem problem = CampaignProblem(9, index);
    const std::vector<Finding> findings =
        JudgeProblem(problem, Careless, {JudgeId::kOverlap}).findings;
    if (findings.empty() || problem.kernel.instructions.size() < 20) continue;
    const ShrunkProblem shrunk =
        ShrinkProblem(problem, Careless, {JudgeId::kOverlap}, findings.front());
    EXPECT_LE(shrunk.problem.kernel.instructions.size(), 10u);
    EXPECT_EQ(shrunk.finding.kind, findings.front().kind);
    EXPECT_FALSE(findings.front().site.empty());
    EXPECT_EQ(shrunk.finding.site, findings.front().site);
    const Result<AllocationProblem> again = ProblemOf(WithLimits(shrunk.problem));
    ASSERT_TRUE(again);
    EXPECT_FALSE(JudgeProblem(*again, Careless, {JudgeId::kOverlap}).findings.empty());
    return;
  }
  FAIL() << "no long case failed";
}

}  // namespace
}  // namespace spillway
