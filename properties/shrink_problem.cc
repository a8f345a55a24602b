#include "properties/shrink_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "properties/colouring_round.h"
#include "properties/reduce_kernel.h"

namespace spillway {
namespace {

// How much of the room between largest instruction and peak a problem has, in 255ths of what is
// missing: the knob that DecodeProblem turns.
std::uint8_t TightnessOf(const AllocationProblem& problem) {
  const MemoryNeeds needs = NeedsOf(problem.kernel, problem.target.sbuf_granule);
  const std::int64_t room = (needs.peak - needs.largest_working_set).value;
  if (room <= 0) return 0;
  const std::int64_t missing = (needs.peak - problem.sbuf_bytes).value;
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(missing * 255 / room, 0, 255));
}

// A candidate's problems: with the memory that there was, and with one that fits it as tightly.
std::vector<AllocationProblem> ProblemsFor(const AllocationProblem& problem, const Kernel& kernel,
                                           std::uint8_t tightness) {
  AllocationProblem same = problem;
  same.kernel = kernel;
  AllocationProblem tight = same;
  tight.sbuf_bytes =
      std::min(CapacityBetween(kernel, problem.target, tightness), problem.sbuf_bytes);
  if (tight.sbuf_bytes == same.sbuf_bytes) return {same};
  return {tight, same};
}

// A line a finding: judge, kind, place, text, by tabs.
std::string ToLines(const std::vector<Finding>& findings) {
  std::string lines;
  for (const Finding& finding : findings) {
    std::string text = finding.text;
    std::replace(text.begin(), text.end(), '\n', ' ');
    lines += fmt::format("{}\t{}\t{}\t{}\n", static_cast<int>(finding.judge),
                         static_cast<int>(finding.kind), finding.place, text);
  }
  return lines;
}

std::vector<Finding> FromLines(const std::string& lines) {
  std::vector<Finding> findings;
  std::istringstream in(lines);
  std::string judge;
  std::string kind;
  Finding finding;
  while (std::getline(in, judge, '\t') && std::getline(in, kind, '\t') &&
         std::getline(in, finding.place, '\t') && std::getline(in, finding.text)) {
    finding.judge = static_cast<JudgeId>(std::stoi(judge));
    finding.kind = static_cast<Kind>(std::stoi(kind));
    findings.push_back(finding);
  }
  return findings;
}

}  // namespace

std::vector<Finding> JudgeIsolated(const AllocationProblem& problem,
                                   const AllocateFunction& allocate,
                                   const std::vector<JudgeId>& judges, double seconds) {
  const Isolated run =
      RunIsolated([&] { return ToLines(JudgeProblem(problem, allocate, judges).findings); },
                  {.seconds = seconds, .megabytes = 0});
  if (run.ending == Ending::kDone) return FromLines(run.answer);
  const char* what = run.ending == Ending::kTimedOut ? "hangs" : "crashes";
  return {{JudgeId::kProgress, Kind::kLimit, what,
           fmt::format("allocating or judging {}: {}", what, run.how)}};
}

ShrunkProblem ShrinkProblem(const AllocationProblem& problem, const AllocateFunction& allocate,
                            const std::vector<JudgeId>& judges, const Finding& finding,
                            const ShrinkOptions& options) {
  // Only the judge that found it need look at candidates.
  std::vector<JudgeId> needed;
  if (finding.judge != JudgeId::kProgress) needed = {finding.judge};
  if (finding.judge == JudgeId::kProgress && finding.place != "allocator") needed = judges;
  const auto findings_of = [&](const AllocationProblem& candidate) {
    return options.isolated ? JudgeIsolated(candidate, allocate, needed, options.case_seconds)
                            : JudgeProblem(candidate, allocate, needed).findings;
  };
  const std::uint8_t tightness = TightnessOf(problem);
  const auto failing = [&](const Kernel& kernel) -> std::optional<AllocationProblem> {
    for (const AllocationProblem& candidate : ProblemsFor(problem, kernel, tightness)) {
      if (ShowsSame(findings_of(candidate), finding)) return candidate;
    }
    return std::nullopt;
  };
  ShrunkProblem shrunk{problem, finding, 0, false};
  const Reduced reduced = ReduceKernel(
      problem.kernel, [&](const Kernel& kernel) { return failing(kernel).has_value(); },
      {.seconds = options.seconds});
  shrunk.tries = reduced.tries;
  shrunk.finished = reduced.finished;
  if (const auto smallest = failing(reduced.kernel)) shrunk.problem = *smallest;
  for (const Finding& found : findings_of(shrunk.problem)) {
    if (!ShowsSame({found}, finding)) continue;
    shrunk.finding = found;
    break;
  }
  return shrunk;
}

}  // namespace spillway
