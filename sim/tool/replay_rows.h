// What a replay found, a row for each, beside what the static checks say of it.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "sim/task/replay_system.h"

namespace spillway {

struct ReplayRow {
  std::string code;    ///< a finding's, or a note's "stale-fill"
  std::string access;  ///< "Reader use vec #0", or the operation that is meant
  std::string other;   ///< the other access; empty where there is none
  std::string place;   ///< "tmem[0:64)": what both touch, or what is read
  std::string seen;    ///< in the runs
  std::string checks;  ///< what the static checks say of it
  bool contradicts = false;

  friend bool operator==(const ReplayRow&, const ReplayRow&) = default;
};

/// Blocked tasks, races, wrong values, uninitialized reads, phase skews, overflows, and, where
/// nothing races, stale fills; behind those of a kind what only the checks find. Races have the
/// checks' numbers, from 1. A row contradicts where ReplayContradictions does.
/// Source: ts_pipelines.md §9, engine 4.
std::vector<ReplayRow> ReplayRows(const task::PipelineSystem& system, const task::Program& program,
                                  const task::Verdict& verdict, const task::Replay& replay);

}  // namespace spillway
