#include "sim/task/barrier_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace spillway::task {
namespace {

using Row = std::vector<std::string>;

std::string Joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

/// "1 of 2: B".
std::string Lacking(const PipelineSystem& system, const Program& program, const SyncPlace& place,
                    const BarrierState& state) {
  const Contributors& contributors = program.contributors[place.pipeline];
  const std::vector<TaskId>& tasks =
      place.side == Side::kProducer ? contributors.fill : contributors.drain;
  if (tasks.empty()) return "no contributor";
  std::vector<std::string> names;
  for (const std::uint32_t contributor : state.lacking)
    names.push_back(system.tasks[tasks[contributor]].name);
  return fmt::format("{} of {}{}", names.size(), tasks.size(),
                     names.empty() ? "" : ": " + Joined(names));
}

std::string Waiters(const Replay& replay, const SyncObjectEnd& end) {
  std::vector<std::string> names;
  for (const ReplayedBlock& blocked : replay.blocked) {
    if (std::find(end.waiting.begin(), end.waiting.end(), TaskStreamId(blocked.task.value)) !=
        end.waiting.end())
      names.push_back(blocked.name);
  }
  return Joined(names);
}

std::string Lines(const BarrierRows& table) {
  std::vector<std::size_t> widths;
  for (const std::string& name : table.head) widths.push_back(name.size());
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line_of = [&](const Row& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{}{:<{}}", i == 0 ? "" : " | ", row[i], widths[i]);
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = line_of(table.head);
  for (const Row& row : table.rows) text += line_of(row);
  return text;
}

}  // namespace

BarrierRows BarriersAtTheEnd(const PipelineSystem& system, const Program& program,
                             const Replay& replay, std::size_t max_rows) {
  BarrierRows table;
  if (replay.blocked.empty() || replay.objects.empty()) return table;
  std::vector<std::size_t> order;
  for (const bool awaited : {true, false}) {
    for (std::size_t i = 0; i < replay.objects.size(); ++i) {
      if (replay.objects[i].waiting.empty() != awaited) order.push_back(i);
    }
  }
  const bool barriers = system.barriers != BarrierStorage::kNone;
  table.head = barriers ? Row{"barrier",          "phase",         "parity",
                              "arrivals lacking", "bytes pending", "waited for by"}
                        : Row{"semaphore", "value", "waited for by"};
  for (const std::size_t i : order) {
    if (table.rows.size() == max_rows) break;
    const SyncPlace& place = replay.places[i];
    const SyncObjectEnd& end = replay.objects[i];
    Row row = {SyncPlaceName(system, place)};
    if (barriers) {
      row.push_back(std::to_string(end.barrier.generation));
      row.push_back(end.barrier.parity ? "1" : "0");
      row.push_back(Lacking(system, program, place, end.barrier));
      row.push_back(std::to_string(end.barrier.pending_bytes.value));
    } else {
      row.push_back(place.is_barrier ? "no contributor" : std::to_string(end.value));
    }
    row.push_back(Waiters(replay, end));
    table.rows.push_back(std::move(row));
  }
  table.left_out = order.size() - table.rows.size();
  return table;
}

std::string BarrierTable(const BarrierRows& rows) {
  if (rows.empty()) return "";
  std::string text = Lines(rows);
  if (rows.left_out > 0) text += fmt::format("and {} more\n", rows.left_out);
  return text;
}

std::string BarrierTable(const PipelineSystem& system, const Program& program, const Replay& replay,
                         std::size_t max_rows) {
  return BarrierTable(BarriersAtTheEnd(system, program, replay, max_rows));
}

}  // namespace spillway::task
