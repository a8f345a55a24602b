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

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

constexpr std::string_view kRefused = "refused";

// A line a finding: judge, kind, place, site, text, by tabs. A refusal comes first, as one of no
// judge.
std::string ToLines(const ProblemOutcome& outcome) {
  std::string lines;
  if (outcome.refusal) {
    const Error& error = *outcome.refusal;
    lines += fmt::format("{}\t{}\t{}\t\t{}\n", kRefused, static_cast<int>(error.kind),
                         OneLine(error.code), OneLine(error.message));
  }
  for (const Finding& finding : outcome.findings) {
    lines += fmt::format("{}\t{}\t{}\t{}\t{}\n", static_cast<int>(finding.judge),
                         static_cast<int>(finding.kind), OneLine(finding.place),
                         OneLine(finding.site), OneLine(finding.text));
  }
  return lines;
}

IsolatedOutcome FromLines(const std::string& lines) {
  IsolatedOutcome outcome;
  std::istringstream in(lines);
  std::string judge;
  std::string kind;
  Finding finding;
  while (std::getline(in, judge, '\t') && std::getline(in, kind, '\t') &&
         std::getline(in, finding.place, '\t') && std::getline(in, finding.site, '\t') &&
         std::getline(in, finding.text)) {
    finding.kind = static_cast<Kind>(std::stoi(kind));
    if (judge == kRefused) {
      outcome.refusal = Error{finding.kind, finding.place, finding.text, "", 0};
      continue;
    }
    finding.judge = static_cast<JudgeId>(std::stoi(judge));
    outcome.findings.push_back(finding);
  }
  return outcome;
}

}  // namespace

IsolatedOutcome JudgeIsolated(const AllocationProblem& problem, const AllocateFunction& allocate,
                              const std::vector<JudgeId>& judges, double seconds) {
  const Isolated run = RunIsolated([&] { return ToLines(JudgeProblem(problem, allocate, judges)); },
                                   {.seconds = seconds, .megabytes = 0});
  if (run.ending == Ending::kDone) return FromLines(run.answer);
  const char* what = run.ending == Ending::kTimedOut ? "hangs" : "crashes";
  return {{{JudgeId::kProgress, Kind::kLimit, what,
            fmt::format("allocating or judging {}: {}", what, run.how)}},
          std::nullopt};
}

ShrunkProblem ShrinkProblem(const AllocationProblem& problem, const AllocateFunction& allocate,
                            const std::vector<JudgeId>& judges, const Finding& finding,
                            const ShrinkOptions& options) {
  // Only the judge that found it need look at candidates.
  std::vector<JudgeId> needed;
  if (finding.judge != JudgeId::kProgress) needed = {finding.judge};
  const bool is_allocators = finding.place == "allocator" || finding.place == "refused";
  if (finding.judge == JudgeId::kProgress && !is_allocators) needed = judges;
  const auto findings_of = [&](const AllocationProblem& candidate) {
    return options.isolated
               ? JudgeIsolated(candidate, allocate, needed, options.case_seconds).findings
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
  bool is_found = false;
  for (const Finding& found : findings_of(shrunk.problem)) {
    // Of several at such a site, the one whose tensor has kept its name.
    if (!IsSameFailure(found, finding) || (is_found && found.place != finding.place)) continue;
    shrunk.finding = found;
    is_found = true;
    if (found.place == finding.place) break;
  }
  return shrunk;
}

}  // namespace spillway
