// What is expected of the pipeline files of traces/, in the words of their table.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "tests/unit/task/pipeline_files.h"
#include "traces/pipeline_reader.h"

namespace spillway::task {

using Names = std::array<std::string, 3>;
/// a, b, their occurrences, space, range.
using RaceRow =
    std::tuple<Names, Names, std::int64_t, std::int64_t, std::string, std::int64_t, std::int64_t>;
/// Read, write, their occurrences.
using ClobberRow = std::tuple<Names, Names, std::int64_t, std::int64_t>;
using UninitializedRow = std::tuple<Names, std::int64_t>;

/// A verdict without ids: rows of the table.
struct VerdictRow {
  bool deadlock = false;
  std::vector<std::string> blocked;
  std::vector<RaceRow> races;
  std::vector<ClobberRow> clobbers;
  std::vector<UninitializedRow> uninitialized;
  std::vector<std::string> structure;
  std::int64_t events = 0;

  friend bool operator==(const VerdictRow&, const VerdictRow&) = default;
};

inline std::vector<RaceRow> RowsOf(const PipelineSystem& system, const std::vector<Race>& races) {
  std::vector<RaceRow> rows;
  for (const Race& race : races) {
    rows.emplace_back(NamesOf(system, race.a.what), NamesOf(system, race.b.what), race.a.occurrence,
                      race.b.occurrence, std::string(MemorySpaceName(race.space)),
                      race.range.begin.value, race.range.end.value);
  }
  return rows;
}

inline VerdictRow RowOf(const PipelineSystem& system, const Verdict& verdict) {
  VerdictRow row;
  row.deadlock = !verdict.blocked.empty();
  for (const BlockedTask& blocked : verdict.blocked) row.blocked.push_back(blocked.name);
  row.races = RowsOf(system, verdict.races);
  for (const Clobber& clobber : verdict.clobbers) {
    row.clobbers.emplace_back(NamesOf(system, clobber.read.what),
                              NamesOf(system, clobber.write.what), clobber.read.occurrence,
                              clobber.write.occurrence);
  }
  for (const UninitializedRead& one : verdict.uninitialized)
    row.uninitialized.emplace_back(NamesOf(system, one.read.what), one.read.occurrence);
  row.structure = StructureCodes(verdict.structure);
  row.events = verdict.events;
  return row;
}

/// `value` as the three strings that name a class of accesses.
inline Names NamesIn(const JsonValue& value) {
  return {std::string(value.items.at(0).text), std::string(value.items.at(1).text),
          std::string(value.items.at(2).text)};
}

/// The row of expected.json.
inline VerdictRow ExpectedRow(const JsonValue& row) {
  VerdictRow expected;
  expected.deadlock = FindMember(row, "deadlock")->boolean;
  for (const JsonValue& name : FindMember(row, "blocked")->items)
    expected.blocked.emplace_back(name.text);
  for (const JsonValue& race : FindMember(row, "races")->items) {
    const auto& first = FindMember(race, "first")->items;
    const auto& range = FindMember(race, "range")->items;
    expected.races.emplace_back(NamesIn(*FindMember(race, "a")), NamesIn(*FindMember(race, "b")),
                                first.at(0).integer, first.at(1).integer,
                                std::string(FindMember(race, "space")->text), range.at(0).integer,
                                range.at(1).integer);
  }
  for (const JsonValue& clobber : FindMember(row, "clobbers")->items) {
    const auto& first = FindMember(clobber, "first")->items;
    expected.clobbers.emplace_back(NamesIn(*FindMember(clobber, "read")),
                                   NamesIn(*FindMember(clobber, "write")), first.at(0).integer,
                                   first.at(1).integer);
  }
  for (const JsonValue& read : FindMember(row, "uninitialized")->items) {
    expected.uninitialized.emplace_back(NamesIn(*FindMember(read, "read")),
                                        FindMember(read, "first")->integer);
  }
  for (const JsonValue& code : FindMember(row, "structure")->items)
    expected.structure.emplace_back(code.text);
  expected.events = FindMember(row, "events")->integer;
  return expected;
}

}  // namespace spillway::task
