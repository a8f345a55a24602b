#include "tests/mutation/trial_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "model/hw/error.h"
#include "properties/fault_catalogue.h"
#include "properties/judge.h"
#include "tests/mutation/process.h"
#include "tests/mutation/trial.h"

namespace spillway {
namespace {

constexpr int kCaseSeconds = 15;
constexpr int kMostRestarts = 3;

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\t', ' ');
  constexpr std::size_t kMost = 240;
  if (text.size() > kMost) text.resize(kMost);
  return text;
}

class PipeLog final : public TrialLog {
 public:
  PipeLog(const std::function<void(const std::string&)>& write,
          const std::function<void()>& restart)
      : write_(write), restart_(restart) {}
  void Start(std::int64_t number) override {
    restart_();
    write_(fmt::format("start\t{}\n", number));
  }
  void Kill(const std::string& judge, std::int64_t number, const std::string& text) override {
    write_(fmt::format("kill\t{}\t{}\t{}\n", judge, number, OneLine(text)));
  }

 private:
  const std::function<void(const std::string&)>& write_;
  const std::function<void()>& restart_;
};

class Run {
 public:
  Run(const std::string& fault, const TrialRunOptions& options) : options_(options) {
    result_.id = fault;
  }

  void Part(void (*part)(const TrialOptions&, TrialLog&), std::int64_t cases,
            std::int64_t first = 1) {
    TrialOptions trial{result_.id, cases, first, {}};
    for (int restart = 0; restart <= kMostRestarts && trial.first <= cases; ++restart) {
      for (const auto& [judge, kill] : result_.kills) trial.killed.insert(judge);
      const ProcessEnd end = RunForked(kCaseSeconds, [&](const auto& write, const auto& again) {
        PipeLog log(write, again);
        part(trial, log);
      });
      std::int64_t last = trial.first;
      std::string thrown;
      std::istringstream lines(end.output);
      for (std::string line; std::getline(lines, line);) Take(line, last, thrown);
      if (part == &TryKernels) result_.cases = std::max(result_.cases, last);
      if (end.failure.empty()) return;
      Kill("progress", last, thrown.empty() ? end.failure : "threw: " + thrown);
      if (part != &TryKernels && part != &TryPipelines) return;
      trial.first = last + 1;
    }
  }

  void Shrink() {
    static const std::vector<JudgeId>& judges = AllJudges();
    std::vector<std::pair<std::int64_t, std::string>> by_kernels;
    for (const JudgeId judge : judges) {
      const auto found = result_.kills.find(std::string(JudgeName(judge)));
      if (found != result_.kills.end()) by_kernels.emplace_back(found->second.cases, found->first);
    }
    const auto progress = result_.kills.find("progress");
    const bool by_finding = progress != result_.kills.end() && kernel_progress_;
    if (by_kernels.empty() && by_finding)
      by_kernels.emplace_back(progress->second.cases, "progress");
    if (by_kernels.empty()) return;
    const auto [number, judge] = *std::min_element(by_kernels.begin(), by_kernels.end());
    constexpr int kShrinkSeconds = 90;
    const ProcessEnd end = RunForked(kShrinkSeconds, [&](const auto& write, const auto&) {
      write(fmt::format("{}", ShrinkKernel(result_.id, number, judge)));
    });
    if (end.failure.empty() && !end.output.empty()) result_.shrunk = std::stoll(end.output);
  }

  // "sbuf_test" or "property_test:Modulo*", one after the other.
  void Tests(const std::string& names) {
    std::istringstream words(names);
    for (std::string word; words >> word;) {
      const std::size_t colon = word.find(':');
      const std::string executable = word.substr(0, colon);
      const std::string filter = colon == std::string::npos ? "*" : word.substr(colon + 1);
      SPILLWAY_CHECK(std::filesystem::exists(std::filesystem::path(options_.binaries) / executable),
                     "the named tests are built: " + executable);
      // Processor time; the wall clock is for what only waits.
      constexpr int kTestSeconds = 120;
      constexpr int kWaiting = 20;
      int status = 0;
      const ProcessEnd end =
          RunShell(fmt::format("cd '{0}' && ulimit -S -t {2} && SPILLWAY_FAULT='{1}' "
                               "RC_PARAMS='seed=20261129 noshrink=1' "
                               "timeout {5} ./{3} --gtest_brief=1 --gtest_filter='{4}' 2>&1",
                               options_.binaries, result_.id == "none" ? "" : result_.id,
                               kTestSeconds, executable, filter, kTestSeconds * kWaiting),
                   status);
      if (status == 0) continue;
      const std::string column = executable == "rtl_tests" ? "rtl" : "tests";
      const std::string failed = FailedTests(end.output);
      Kill(column, 0, executable + ": " + (failed.empty() ? end.failure : failed));
    }
  }

  FaultResult Take() { return std::move(result_); }
  void SetKernelProgress() { kernel_progress_ = result_.kills.contains("progress"); }

 private:
  static std::string FailedTests(const std::string& output) {
    std::istringstream lines(output);
    constexpr std::string_view kMark = "[  FAILED  ] ";
    std::set<std::string> names;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind(kMark, 0) != 0 || line.find('.') == std::string::npos) continue;
      const std::string rest = line.substr(kMark.size());
      names.insert(rest.substr(0, rest.find_first_of(" ,")));
    }
    std::string text;
    constexpr std::size_t kShown = 3;
    for (const std::string& name : names) {
      if (std::distance(names.begin(), names.find(name)) >= static_cast<std::ptrdiff_t>(kShown))
        break;
      text += (text.empty() ? "" : ", ") + name;
    }
    if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
    return text;
  }

  void Take(const std::string& line, std::int64_t& last, std::string& thrown) {
    std::vector<std::string> words;
    std::istringstream fields(line);
    for (std::string word; std::getline(fields, word, '\t');) words.push_back(word);
    if (words.size() >= 2 && words[0] == "start") last = std::stoll(words[1]);
    if (words.size() >= 2 && words[0] == "threw") thrown = OneLine(words[1]);
    if (words.size() >= 3 && words[0] == "kill")
      Kill(words[1], std::stoll(words[2]), words.size() > 3 ? words[3] : "");
  }

  void Kill(const std::string& column, std::int64_t cases, const std::string& text) {
    const auto [entry, added] = result_.kills.try_emplace(column, spillway::Kill{cases, text});
    if (!added && column == "tests") entry->second.text += "; " + text;
  }

  const TrialRunOptions& options_;
  FaultResult result_;
  bool kernel_progress_ = false;
};

}  // namespace

FaultResult RunTrial(const std::string& fault, const TrialRunOptions& options) {
  const FaultRow* row = FindFault(fault);
  const FaultInput input = row == nullptr ? FaultInput::kKernels : row->input;
  constexpr std::int64_t kBatch = 1500;
  constexpr std::int64_t kFew = 150;
  constexpr std::int64_t kCostBatch = 200;
  Run run(fault, options);
  const bool by_kernels = input != FaultInput::kBatches && input != FaultInput::kJudges;
  const std::int64_t in_full = std::min(options.cases, kEveryCase);
  if (by_kernels) {
    run.Part(&TryKernels, in_full);
    run.SetKernelProgress();
  }
  if (row == nullptr || input == FaultInput::kJudges)
    run.Part(&TryKnownBad, row == nullptr ? kFew : options.cases);
  // Of a sweep's cells only the closed forms can tell one from the other.
  constexpr int kSweep = 10;
  const bool is_sweep = row != nullptr && row->variants > kSweep;
  if (is_sweep) run.Part(&TryCounts, kFew);
  if (input != FaultInput::kJudges && !is_sweep) {
    run.Part(&TryCounts, kBatch);
    run.Part(&TryCost, kCostBatch);
    run.Part(&TryRelations, kFew);
    run.Part(&TryTiming, kBatch);
    run.Part(&TryFiles, kFew);
  }
  // Allocations of kernels touch none of what these columns look at.
  if (row == nullptr || input == FaultInput::kBatches) run.Part(&TryPipelines, kBatch);
  // What the rest has found by now is only sampled.
  if (by_kernels && options.cases > in_full) run.Part(&TryKernels, options.cases, in_full + 1);
  if (by_kernels) run.Shrink();
  if (!options.binaries.empty()) {
    std::set<std::string> all;
    if (row != nullptr) run.Tests(std::string(row->tests));
    for (const FaultRow& every : FaultCatalogue()) {
      std::istringstream words{std::string(every.tests)};
      for (std::string word; row == nullptr && words >> word;) all.insert(word);
    }
    for (const std::string& word : all) run.Tests(word);
  }
  return run.Take();
}

}  // namespace spillway
