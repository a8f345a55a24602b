// Replays in the words of the examples' table.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/task/replay_system.h"
#include "tests/unit/check_task/expected_verdicts.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {

using NamePair = std::pair<Names, Names>;

inline const Target& ReplayTarget() {
  static const Target& target = *new Target(FindTarget("trn2").value());
  return target;
}

inline Replay Replayed(const PreparedSystem& prepared, const ReplayOptions& options = {}) {
  return ReplaySystem(prepared.system, prepared.program, ReplayTarget(), options).value();
}

inline std::set<NamePair> RacePairs(const PipelineSystem& system, const Replay& replay) {
  std::set<NamePair> pairs;
  for (const ReplayedRace& race : replay.races)
    pairs.emplace(PlayedNames(system, race.a.what), PlayedNames(system, race.b.what));
  return pairs;
}
inline std::set<NamePair> RacePairs(const std::vector<RaceRow>& rows) {
  std::set<NamePair> pairs;
  for (const RaceRow& row : rows) pairs.emplace(std::get<0>(row), std::get<1>(row));
  return pairs;
}

/// Rows of the reads that got another resource's data.
inline std::vector<ClobberRow> ClobberRows(const PipelineSystem& system, const Replay& replay) {
  std::vector<ClobberRow> rows;
  for (const SeenClobber& clobber : replay.clobbers) {
    rows.emplace_back(PlayedNames(system, clobber.read.what),
                      PlayedNames(system, clobber.write.what), clobber.read.occurrence,
                      clobber.write.occurrence);
  }
  return rows;
}
inline std::vector<UninitializedRow> UninitializedRows(const PipelineSystem& system,
                                                       const Replay& replay) {
  std::vector<UninitializedRow> rows;
  for (const PlayedAccess& read : replay.uninitialized)
    rows.emplace_back(PlayedNames(system, read.what), read.occurrence);
  return rows;
}
inline std::vector<std::string> BlockedNames(const Replay& replay) {
  std::vector<std::string> names;
  for (const ReplayedBlock& blocked : replay.blocked) names.push_back(blocked.name);
  return names;
}

}  // namespace spillway::task
