#include "properties/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "properties/campaign_workers.h"
#include "properties/shrink_problem.h"

namespace spillway {
namespace {

// The allocator whose spills and rounds the coverage has floors for.
constexpr std::string_view kColourer = "coloring";

void SetOrigin(Kernel& kernel, const std::string& name, AttrValue value) {
  for (Attr& attr : kernel.origin) {
    if (attr.name != name) continue;
    attr.value = std::move(value);
    return;
  }
  kernel.origin.push_back({name, std::move(value)});
}

// Kinds of failures, each with its first case.
class Failures {
 public:
  enum class How { kRepeats, kEndsItsWorker, kOnce };

  void Add(std::uint64_t index, const std::vector<Finding>& findings, How how) {
    for (const Finding& finding : findings) {
      const auto known = std::find_if(all_.begin(), all_.end(), [&](const Entry& entry) {
        return IsSameFailure(finding, entry.failure.finding);
      });
      if (known == all_.end()) {
        all_.push_back({{finding, index, 1, 0, {}, how != How::kOnce}, index, how});
      } else if (known->last != index) {
        known->last = index;
        ++known->failure.cases;
      }
    }
  }

  std::vector<CampaignFailure> Shrunk(const CampaignOptions& options) {
    // One fault may show at many sites; all of them together get the time of ten.
    constexpr double kInFull = 10;
    const double share = std::min(1.0, kInFull / static_cast<double>(all_.size() + 1));
    std::vector<CampaignFailure> failures;
    for (Entry& entry : all_) {
      CampaignFailure& failure = entry.failure;
      const AllocationProblem problem = CampaignProblem(options.seed, failure.index);
      failure.instructions_before = problem.kernel.instructions.size();
      failure.problem = problem;
      if (failure.repeats) {
        const double wait = std::min(options.case_seconds, 2.0) + options.allocator_seconds;
        ShrunkProblem shrunk = ShrinkProblem(problem, options.allocate,
                                             JudgesFor(options, failure.index), failure.finding,
                                             {.seconds = options.shrink_seconds * share,
                                              .isolated = entry.how == How::kEndsItsWorker,
                                              .case_seconds = wait});
        failure.problem = std::move(shrunk.problem);
        failure.finding = std::move(shrunk.finding);
      }
      failure.problem.kernel = WithLimits(failure.problem);
      SetOrigin(failure.problem.kernel, "found", KeyOf(failure.finding));
      SetOrigin(failure.problem.kernel, "allocator", options.allocator);
      failures.push_back(std::move(failure));
    }
    return failures;
  }

 private:
  struct Entry {
    CampaignFailure failure;
    std::uint64_t last = 0;
    How how = How::kRepeats;
  };
  std::vector<Entry> all_;
};

// Judges what failed once more, each case alone: what it shows then can be shrunk.
Failures FailuresOf(const CampaignOptions& options, const CampaignRun& run) {
  Failures failures;
  const auto again = [&](std::uint64_t index) {
    return JudgeIsolated(CampaignProblem(options.seed, index), options.allocate,
                         JudgesFor(options, index),
                         options.case_seconds + options.allocator_seconds)
        .findings;
  };
  const auto ends = [](const std::vector<Finding>& findings) {
    return findings.size() == 1 && findings[0].judge == JudgeId::kProgress &&
           (findings[0].place == "hangs" || findings[0].place == "crashes");
  };
  for (const FailedCase& failed : run.failing) {
    const std::vector<Finding> findings = again(failed.index);
    if (!findings.empty()) {
      failures.Add(failed.index, findings,
                   ends(findings) ? Failures::How::kEndsItsWorker : Failures::How::kRepeats);
      continue;
    }
    failures.Add(failed.index,
                 {{JudgeId::kProgress, Kind::kLimit, "not-repeatable",
                   fmt::format("case {} failed and doesn't when judged again; it failed with {}",
                               failed.index, failed.first)}},
                 Failures::How::kOnce);
  }
  for (const LostCase& lost : run.lost) {
    const std::vector<Finding> findings = again(lost.index);
    if (!findings.empty()) {
      failures.Add(lost.index, findings, Failures::How::kEndsItsWorker);
      continue;
    }
    // Alone it ended well: still a fault, of a state that outlives its case.
    const char* what = lost.hung ? "hangs" : "crashes";
    failures.Add(lost.index,
                 {{JudgeId::kProgress, Kind::kLimit, what,
                   fmt::format("case {} {} after other cases, but not alone", lost.index, what)}},
                 Failures::How::kOnce);
  }
  return failures;
}

}  // namespace

AllocationProblem CampaignProblem(std::uint64_t seed, std::uint64_t index) {
  AllocationProblem problem = DecodeProblem(ProblemBytes(seed, index));
  SetOrigin(problem.kernel, "seed", static_cast<std::int64_t>(seed));
  SetOrigin(problem.kernel, "case", static_cast<std::int64_t>(index));
  return problem;
}

Kernel WithLimits(const AllocationProblem& problem) {
  Kernel kernel = problem.kernel;
  SetOrigin(kernel, "sbuf_bytes", problem.sbuf_bytes.value);
  SetOrigin(kernel, "psum_banks", problem.psum_banks.value);
  return kernel;
}

Result<AllocationProblem> ProblemOf(const Kernel& kernel) {
  Result<Target> target = FindTarget(kernel.target);
  if (!target) return Fail(target.error());
  AllocationProblem problem;
  problem.kernel = kernel;
  const std::int64_t bytes = target->sbuf_usable_bytes.value.value;
  const std::int64_t banks = UsablePsumBanks(*target).value;
  problem.sbuf_bytes = Bytes(IntAttr(kernel.origin, "sbuf_bytes").value_or(bytes));
  problem.psum_banks = BankCount(IntAttr(kernel.origin, "psum_banks").value_or(banks));
  const auto outside = [&](std::string_view what, std::int64_t value, std::int64_t most) {
    return Fail({Kind::kLimit, "origin-limit",
                 fmt::format("origin of kernel {}: {} is {}, expected 1 to {} on {}", kernel.name,
                             what, value, most, target->name),
                 "", 0});
  };
  if (problem.sbuf_bytes.value < 1 || problem.sbuf_bytes.value > bytes)
    return outside("sbuf_bytes", problem.sbuf_bytes.value, bytes);
  if (problem.psum_banks.value < 1 || problem.psum_banks.value > banks)
    return outside("psum_banks", problem.psum_banks.value, banks);
  problem.target = std::move(*target);
  return problem;
}

CampaignReport RunCampaign(const CampaignOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const CampaignRun run = RunWorkers(options);
  CampaignReport report;
  report.cases = run.counts.cases;
  report.judged = run.counts.judged;
  report.refused = run.counts.refused;
  report.rare_cases = run.counts.rare_cases;
  report.coverage = run.counts.coverage;
  report.decode_seconds = run.counts.decode_seconds;
  report.allocate_seconds = run.counts.allocate_seconds;
  report.judge_seconds.assign(
      run.counts.judge_seconds.begin(),
      run.counts.judge_seconds.begin() +
          static_cast<std::ptrdiff_t>(options.judges.size() + options.rare_judges.size()));
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  report.wall_seconds = wall.count();

  report.failures = FailuresOf(options, run).Shrunk(options);
  report.shortfalls = report.coverage.Shortfalls(options.allocator == kColourer ? Floors::kColourer
                                                                                : Floors::kKernels);
  if (report.judged == 0) {
    report.shortfalls.push_back(
        fmt::format("no case was judged: {} of {} were refused", report.refused, report.cases));
  }
  return report;
}

}  // namespace spillway
