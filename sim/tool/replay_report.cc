#include "sim/tool/replay_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/hw/clock.h"
#include "sim/task/compare_layouts.h"
#include "sim/tool/replay_agreement.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

/// Barriers that a person gets to see.
constexpr std::size_t kMaxBarrierRows = 24;
/// Contradictions of data that are listed.
constexpr std::size_t kMaxContradictions = 64;

std::string Describe(const task::PipelineSystem& system, const task::SeenStale& stale) {
  return fmt::format(
      "{} got what {} wrote: expected fill #{} of its pipeline, found fill #{}; the last write is "
      "through the read's own resource or one that it shares, so this is no finding: a fill may "
      "leave bytes as they were",
      PlayedText(system, stale.read), PlayedText(system, stale.write), stale.expected, stale.found);
}

std::string Describe(const task::PipelineSystem& system, const task::LaggingWait& lagging) {
  const bool fills = lagging.side == task::Side::kProducer;
  return fmt::format(
      "{} may wait for {} #{} of {} when its barrier is two phases ahead, where the parity is the "
      "old one again: expected that its stage isn't {} anew before, found no edge that says so",
      system.tasks[lagging.task].name, fills ? "fill" : "drain", lagging.number,
      system.pipelines[lagging.pipeline].name, fills ? "filled" : "drained");
}

std::vector<ReplayFinding> OwnFindings(const task::PipelineSystem& system,
                                       const task::Replay& replay) {
  std::vector<ReplayFinding> findings;
  for (const task::LaggingWait& lagging : replay.lagging)
    findings.push_back({"phase-skew", Describe(system, lagging)});
  for (const task::LaggingWait& overflow : replay.overflows) {
    findings.push_back(
        {"overflow", fmt::format("the semaphore of {} for {} of {} counts beyond 32 bits",
                                 system.tasks[overflow.task].name,
                                 overflow.side == task::Side::kProducer ? "fills" : "drains",
                                 system.pipelines[overflow.pipeline].name)});
  }
  return findings;
}

std::vector<ReplayFinding> Notes(const task::PipelineSystem& system, const task::Replay& replay) {
  std::vector<ReplayFinding> notes;
  // With a race another fill is what the race does.
  if (!replay.races.empty()) return notes;
  for (const task::SeenStale& stale : replay.stale)
    notes.push_back({"stale-fill", Describe(system, stale)});
  return notes;
}

/// ", 2 races" where there are any.
std::string Counted(std::size_t count, const std::string& one, const std::string& many) {
  if (count == 0) return "";
  return fmt::format(", {} {}", Grouped(static_cast<std::int64_t>(count)), count == 1 ? one : many);
}

std::string Counts(const task::Replay& replay) {
  const auto overlapped = static_cast<std::size_t>(
      std::count_if(replay.races.begin(), replay.races.end(),
                    [](const task::ReplayedRace& race) { return race.overlapped; }));
  std::string text = Counted(replay.blocked.size(), "task blocked", "tasks blocked");
  text += Counted(replay.races.size(), "race", "races");
  if (!replay.races.empty()) text += fmt::format(" ({} seen to overlap in time)", overlapped);
  text += Counted(replay.clobbers.size(), "wrong value", "wrong values");
  text += Counted(replay.uninitialized.size(), "uninitialized read", "uninitialized reads");
  text += Counted(replay.lagging.size(), "phase skew", "phase skews");
  text += Counted(replay.overflows.size(), "overflow", "overflows");
  return text.empty() ? ", no finding" : text;
}

}  // namespace

ReplayReport PlayPipeline(const task::PipelineSystem& system, const task::Program& program,
                          const task::Verdict& verdict, const ReplayPlan& plan) {
  ReplayReport report;
  report.target = plan.target.name;
  report.seed = plan.seed;
  task::ReplayOptions options;
  options.seed = plan.seed;
  Result<task::Replay> replay = task::ReplaySystem(system, program, plan.target, options);
  if (!replay) {
    report.skipped = std::move(replay.error());
    return report;
  }
  report.cycles = CyclesIn(replay->time, plan.target.reference_hertz);
  report.contradictions = ReplayContradictions(system, verdict, *replay);
  if (verdict.races.empty() && verdict.clobbers.empty() && verdict.uninitialized.empty()) {
    if (const auto changed = task::ReadsThatAliasingChanges(system, program, plan.target)) {
      for (const task::PlayedAccess& read : *changed) {
        if (report.contradictions.size() == kMaxContradictions) break;
        report.contradictions.push_back("data: " + PlayedText(system, read) +
                                        ": other than with memory of its own for every resource");
      }
    }
  }
  report.findings = OwnFindings(system, *replay);
  report.notes = Notes(system, *replay);
  report.rows = ReplayRows(system, program, verdict, *replay);
  report.barriers = task::BarriersAtTheEnd(system, program, *replay, kMaxBarrierRows);
  report.replay = std::move(*replay);
  return report;
}

std::string ReplayLine(const ReplayReport& report) {
  const task::Replay& replay = *report.replay;
  constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
  return fmt::format(
      "{} cycles, {} ns on {}, {} runs{}; {}", Grouped(report.cycles.value),
      Grouped(replay.time.value / kPicosecondsPerNanosecond), report.target, replay.runs,
      Counts(replay),
      report.contradictions.empty() ? "the checks say the same" : "THE CHECKS SAY OTHERWISE");
}

std::string ReplayText(const ReplayReport& report) {
  if (report.skipped) return "REPLAY SKIPPED: " + report.skipped->message + "\n";
  const task::Replay& replay = *report.replay;
  std::string text = "replay: " + ReplayLine(report) + "\n";
  if (replay.skipped_runs > 0) {
    text += fmt::format("{} runs with delayed actors were left out: there are too many\n",
                        replay.skipped_runs);
  }
  for (const ReplayFinding& finding : report.findings)
    text += fmt::format("{}: {}\n", finding.code, finding.text);
  for (const ReplayFinding& note : report.notes)
    text += fmt::format("note: {}: {}\n", note.code, note.text);
  if (!report.contradictions.empty()) {
    text +=
        "error: the static checks and the replay contradict each other, so one of them is wrong; "
        "this is a fault of the tool, not of the file:\n";
    for (const std::string& contradiction : report.contradictions)
      text += "  " + contradiction + "\n";
  }
  if (!report.barriers.empty()) text += "barriers when nothing could happen any more:\n";
  return text + task::BarrierTable(report.barriers);
}

}  // namespace spillway
