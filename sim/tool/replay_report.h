// What playing one pipeline file on the machine showed, beside the static checks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/hw/target.h"
#include "sim/task/barrier_table.h"
#include "sim/task/replay_system.h"
#include "sim/tool/replay_rows.h"

namespace spillway {

/// How a pipeline file is played.
struct ReplayPlan {
  Target target;           ///< whose rates give the latencies
  std::uint64_t seed = 1;  ///< of the latency jitter
};

/// A finding, or a note, that the static checks don't have.
struct ReplayFinding {
  std::string code;  ///< of findings "phase-skew" or "overflow", of notes "stale-fill"
  std::string text;
  friend bool operator==(const ReplayFinding&, const ReplayFinding&) = default;
};

struct ReplayReport {
  std::string target;
  std::uint64_t seed = 0;        ///< of the latency jitter; 0: there was none
  std::optional<Error> skipped;  ///< why it wasn't played
  std::optional<task::Replay> replay;
  Cycles cycles;                            ///< of the first run, by the target's reference clock
  std::vector<std::string> contradictions;  ///< to the static checks; empty: they agree
  std::vector<ReplayFinding> findings;      ///< of its own
  std::vector<ReplayFinding> notes;         ///< what may be meant so: they fail nothing
  std::vector<ReplayRow> rows;              ///< all that was seen, beside what the checks say
  task::BarrierRows barriers;               ///< of a deadlock; else empty

  /// Nothing that the static checks wouldn't say too.
  bool IsClean() const { return contradictions.empty() && findings.empty(); }
};

/// Plays `program` and compares with `verdict`; where that has nothing to say of memory, also with
/// the data of a layout without aliasing. What is too large is skipped.
ReplayReport PlayPipeline(const task::PipelineSystem& system, const task::Program& program,
                          const task::Verdict& verdict, const ReplayPlan& plan);

/// "605 cycles, 630 ns on trn2, 4 runs, 2 tasks blocked; the checks say the same", of one that was
/// played.
std::string ReplayLine(const ReplayReport& report);

/// "replay  1,861 cycles, 1,329 ns  9 runs  2 races (2 overlap in time)  as the checks say", below
/// it findings, notes and contradictions, and the barriers of a deadlock. Lines without
/// indentation.
std::string ReplayText(const ReplayReport& report);

/// One JSON object.
std::string ReplayJson(const task::PipelineSystem& system, const ReplayReport& report);

}  // namespace spillway
