#include "sim/bench/properties_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "properties/problem_outcome.h"
#include "sim/bench/stopwatch.h"
#include "sim/bench/yardstick_keys.h"

namespace spillway {
namespace {

constexpr int kRounds = 3;
constexpr std::uint64_t kCases = 1500;
constexpr std::uint64_t kSeed = 1;

void SortYardstick() {
  std::vector<std::uint64_t> keys = YardstickKeys();
  std::sort(keys.begin(), keys.end());
}

struct Solved {
  AllocationProblem problem;
  std::optional<Allocation> allocation;  ///< nothing: refused
};

class Suite {
 public:
  PropertyReport Run() {
    judges_.resize(AllJudges().size());
    for (int round = 0; round < kRounds; ++round) Round();
    PropertyReport report;
    report.cases = kCases;
    report.instructions = instructions_;
    report.yardstick_seconds = yardstick_.seconds();
    report.judged = judged_;
    double statics = (generate_.seconds() + allocate_.seconds()) / kCases;
    double all = statics;
    Add(report, "generate", generate_.seconds() / kCases, 0);
    Add(report, "allocate", allocate_.seconds() / kCases, 0);
    for (std::size_t j = 0; j < judges_.size(); ++j) {
      const JudgeId judge = AllJudges()[j];
      // What was refused no judge has seen.
      const double seconds = judges_[j].seconds() / static_cast<double>(judged_);
      Add(report, std::string(JudgeName(judge)), seconds, 0);
      all += seconds;
      if (IsStatic(judge)) statics += seconds;
    }
    Add(report, "through the static judges", statics, 4000);
    Add(report, "through everything", all, 1500);
    return report;
  }

 private:
  void Round() {
    yardstick_.Measure(SortYardstick);
    std::vector<Solved> solved(kCases);
    generate_.Measure([&] {
      for (std::uint64_t i = 0; i < kCases; ++i) {
        solved[i].problem = DecodeProblem(ProblemBytes(kSeed, i));
      }
    });
    allocate_.Measure([&] {
      for (Solved& one : solved) Solve(one);
    });
    std::size_t instructions = 0;
    judged_ = 0;
    std::vector<std::optional<JudgedCase>> cases(solved.size());
    for (std::size_t i = 0; i < solved.size(); ++i) {
      const Solved& one = solved[i];
      if (!one.allocation) continue;
      ++judged_;
      instructions += one.allocation->kernel.instructions.size();
      cases[i].emplace(Allocated{&one.problem.kernel, &one.allocation->kernel,
                                 &one.allocation->placement, &one.problem.target,
                                 one.problem.sbuf_bytes, one.problem.psum_banks});
    }
    instructions_ = static_cast<double>(instructions) / static_cast<double>(judged_);
    // What judges share is made once a case, and counts where it is first asked for.
    for (std::size_t j = 0; j < judges_.size(); ++j) {
      judges_[j].Measure([&] {
        for (std::optional<JudgedCase>& one : cases) {
          if (!one) continue;
          const std::vector<Finding> findings = one->Ask(AllJudges()[j]);
          SPILLWAY_CHECK(findings.empty(), "no judge objects to the colourer");
        }
      });
    }
  }

  static void Solve(Solved& one) {
    AllocateOptions options;
    options.sbuf_bytes = one.problem.sbuf_bytes;
    options.psum_banks = one.problem.psum_banks;
    Result<Allocation> allocation = Allocate(one.problem.kernel, one.problem.target,
                                             ClosedFormFor(one.problem.target), options);
    if (allocation) one.allocation = std::move(*allocation);
  }

  // `seconds`: a case.
  void Add(PropertyReport& report, std::string name, double seconds, double bar) const {
    const double rate = 1 / std::max(seconds, 1e-12);
    report.figures.push_back({std::move(name), rate, bar, rate * yardstick_.seconds()});
  }

  BestTime yardstick_;
  BestTime generate_;
  BestTime allocate_;
  std::vector<BestTime> judges_;
  double instructions_ = 0;
  std::int64_t judged_ = 0;
};

}  // namespace

PropertyReport RunPropertiesSuite() { return Suite().Run(); }

std::string ToText(const PropertyReport& report) {
  std::string text = fmt::format(
      "{} random kernels, {} of them refused, {:.1f} instructions each as allocated; processor "
      "time "
      "of one thread, best of {} rounds\nyardstick: sorting 1,000,000 keys takes {:.3f} s\n{:<28} "
      "{:>12} {:>22}\n",
      report.cases, report.cases - report.judged, report.instructions, kRounds,
      report.yardstick_seconds, "stage", "cases/s", "cases per yardstick");
  for (const PropertyFigure& figure : report.figures) {
    text += fmt::format(
        "{:<28} {:>12.0f} {:>22.0f}{}\n", figure.name, figure.cases_per_second, figure.to_yardstick,
        figure.MeetsBar() ? (figure.bar == 0 ? "" : fmt::format("  bar {}", figure.bar))
                          : fmt::format("  MISSES its bar of {}", figure.bar));
  }
  return text;
}

}  // namespace spillway
