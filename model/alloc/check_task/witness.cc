#include "model/alloc/check_task/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "model/alloc/check_task/execution.h"
#include "model/alloc/check_task/schedule_events.h"
#include "model/alloc/check_task/state_machine.h"
#include "model/hw/error.h"

namespace spillway::task {
namespace {

/// "acquire sp #0", "write sp #1", "dma write ab #0".
std::string TextOfStep(const PipelineSystem& system, const Program& program, const Step& step) {
  std::string items;
  const auto add = [&](const std::string& item) { items += (items.empty() ? "" : ", ") + item; };
  for (const StepAccess& access : program.AccessesOf(step)) {
    add(fmt::format("{} {} #{}", AccessKindName(access.kind),
                    system.resources[access.resource].name, access.occurrence));
  }
  if (step.kind == OperationKind::kAccess) return items;
  if (step.access_count == 0) {
    for (const SyncPart& part : program.PartsOf(step))
      add(fmt::format("{} #{}", system.pipelines[part.pipeline].name, part.number));
  }
  return fmt::format("{} {}", OperationKindName(step.kind), items);
}

/// Plays events on the machine of engine 2, which refuses what can't happen.
class Player {
 public:
  Player(const PipelineSystem& system, const Program& program, const EventGraph& graph)
      : system_(system),
        program_(program),
        graph_(graph),
        machine_(system, program),
        state_(machine_.Start()),
        sides_(system.pipelines.size()) {}

  /// With `join_last` the last two events are one row, if two tasks do them.
  Witness Play(const std::vector<EventId>& events, bool join_last) {
    FindParts(events);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = graph_.events[events[i]];
      Happen(event);
      const bool whole = event.kind == EventKind::kBegin && i + 1 < events.size() &&
                         events[i + 1].value == events[i].value + 1;
      if (whole) Happen(graph_.events[events[++i]]);
      AddRow(event, whole);
    }
    if (join_last) JoinLastRows();
    witness_.rows.assign(rows_.begin(), rows_.end());
    return std::move(witness_);
  }

 private:
  struct Sides {
    std::int64_t fills = 0;   ///< complete ones
    std::int64_t drains = 0;  ///< complete ones
    IdVector<TaskId, std::int64_t> acquires;
    IdVector<TaskId, std::int64_t> waits;
    std::int64_t most_acquires = 0;  ///< of any task
    std::int64_t most_waits = 0;     ///< of any task
  };

  void FindParts(const std::vector<EventId>& events) {
    std::set<TaskId> tasks;
    std::set<PipelineId> pipelines;
    for (const EventId id : events) {
      const Event& event = graph_.events[id];
      tasks.insert(event.task);
      for (const SyncPart& part : program_.PartsOf(StepOf(event))) pipelines.insert(part.pipeline);
    }
    witness_.tasks.assign(tasks.begin(), tasks.end());
    witness_.pipelines.assign(pipelines.begin(), pipelines.end());
    witness_.events = static_cast<std::int64_t>(events.size());
    for (const PipelineId id : pipelines) {
      sides_[id].acquires.resize(program_.steps.size(), 0);
      sides_[id].waits.resize(program_.steps.size(), 0);
    }
  }

  const Step& StepOf(const Event& event) const { return program_.steps[event.task][event.step]; }

  void Happen(const Event& event) {
    const std::vector<Move> moves = machine_.Moves(state_);
    const MoveKind kind = event.kind == EventKind::kRetire ? MoveKind::kRetire
                          : event.kind == EventKind::kDone ? MoveKind::kDone
                                                           : MoveKind::kTask;
    const auto move = std::find_if(moves.begin(), moves.end(), [&](const Move& one) {
      return one.kind == kind && one.task == event.task && one.step == event.step;
    });
    SPILLWAY_CHECK(move != moves.end(), "each event of a witness can happen");
    state_ = machine_.After(state_, *move);
    if (event.kind != EventKind::kSync) return;
    for (const SyncPart& part : program_.PartsOf(StepOf(event))) {
      Sides& sides = sides_[part.pipeline];
      if (part.kind == OperationKind::kAcquire)
        sides.most_acquires = std::max(sides.most_acquires, ++sides.acquires[event.task]);
      if (part.kind == OperationKind::kWait)
        sides.most_waits = std::max(sides.most_waits, ++sides.waits[event.task]);
    }
  }

  void AddRow(const Event& event, bool whole) {
    std::string text = TextOfStep(system_, program_, StepOf(event));
    switch (event.kind) {
      case EventKind::kBegin: text += whole ? "" : " begins"; break;
      case EventKind::kIssue: text += " issued"; break;
      case EventKind::kEnd: text += " ends"; break;
      case EventKind::kDone: text += " done"; break;
      case EventKind::kRetire: text += " retires"; break;
      case EventKind::kSync: break;
    }
    WitnessRow row{{{event.task, std::move(text)}}, {}, {}};
    for (const PipelineId id : witness_.pipelines) {
      Sides& sides = sides_[id];
      while (machine_.IsComplete(state_, id, Side::kProducer, sides.fills)) ++sides.fills;
      while (machine_.IsComplete(state_, id, Side::kConsumer, sides.drains)) ++sides.drains;
      row.credits.push_back({system_.pipelines[id].stages + sides.drains - sides.most_acquires,
                             sides.fills - sides.most_waits});
    }
    for (const auto& [task, step] : machine_.InProgress(state_)) {
      const Step& its = program_.steps[task][step];
      std::string what = ActorName(system_, ActorOf(task, its)) + " ";
      for (const StepAccess& access : program_.AccessesOf(its)) {
        what +=
            fmt::format("{}{} {} #{}", what.back() == ' ' ? "" : ", ", AccessKindName(access.kind),
                        system_.resources[access.resource].name, access.occurrence);
      }
      row.in_progress.push_back(std::move(what));
    }
    rows_.push_back(std::move(row));
    if (rows_.size() <= kMaxWitnessRows) return;
    rows_.pop_front();
    ++witness_.skipped_rows;
  }

  void JoinLastRows() {
    if (rows_.size() < 2) return;
    WitnessRow& last = rows_.back();
    const WitnessRow& before = rows_[rows_.size() - 2];
    if (last.cells.front().first == before.cells.front().first) return;
    last.cells.insert(last.cells.begin(), before.cells.begin(), before.cells.end());
    std::sort(last.cells.begin(), last.cells.end());
    rows_.erase(rows_.end() - 2);
  }

  const PipelineSystem& system_;
  const Program& program_;
  const EventGraph& graph_;
  const StateMachine machine_;
  MachineState state_;
  IdVector<PipelineId, Sides> sides_;
  Witness witness_;
  std::deque<WitnessRow> rows_;
};

EventId BeginOf(const EventGraph& graph, const AccessPoint& point) {
  return graph.Begin(point.what.actor.task, point.step);
}

}  // namespace

Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const Race& race) {
  const std::vector<EventId> both = {BeginOf(graph, race.a), BeginOf(graph, race.b)};
  const std::vector<EventId> events = ScheduleEvents(graph, both, both);
  const auto is_target = [&](EventId id) { return id == both[0] || id == both[1]; };
  const bool join = events.size() >= 2 && is_target(events[events.size() - 2]);
  return Player(system, program, graph).Play(events, join);
}

Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const Clobber& clobber) {
  const std::vector<EventId> held = {BeginOf(graph, clobber.write), BeginOf(graph, clobber.read)};
  return Player(system, program, graph)
      .Play(ScheduleEvents(graph, {BeginOf(graph, clobber.read)}, held), false);
}

Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const UninitializedRead& read) {
  const std::vector<EventId> target = {BeginOf(graph, read.read)};
  return Player(system, program, graph).Play(ScheduleEvents(graph, target, target), false);
}

Witness WitnessOfDeadlock(const PipelineSystem& system, const Program& program,
                          const EventGraph& graph) {
  return Player(system, program, graph)
      .Play(ScheduleEvents(graph, Execute(graph).order, {}), false);
}

std::string WitnessTable(const PipelineSystem& system, const Witness& witness,
                         std::size_t max_rows) {
  std::vector<std::string> heads = {"step"};
  for (const TaskId task : witness.tasks) heads.push_back(system.tasks[task].name);
  for (const PipelineId id : witness.pipelines)
    heads.push_back(system.pipelines[id].name + " empty, full");
  heads.emplace_back("in progress");
  const std::size_t from = witness.rows.size() - std::min(max_rows, witness.rows.size());
  const auto skipped = witness.skipped_rows + static_cast<std::int64_t>(from);
  std::vector<std::vector<std::string>> lines = {heads};
  for (std::size_t i = from; i < witness.rows.size(); ++i) {
    const WitnessRow& row = witness.rows[i];
    std::vector<std::string> line(heads.size());
    line[0] = std::to_string(witness.skipped_rows + static_cast<std::int64_t>(i) + 1);
    for (const auto& [task, text] : row.cells) {
      const auto at = std::find(witness.tasks.begin(), witness.tasks.end(), task);
      line[static_cast<std::size_t>(at - witness.tasks.begin()) + 1] = text;
    }
    for (std::size_t p = 0; p < row.credits.size(); ++p) {
      line[witness.tasks.size() + 1 + p] =
          fmt::format("{}, {}", row.credits[p].empty, row.credits[p].full);
    }
    for (const std::string& what : row.in_progress)
      line.back() += (line.back().empty() ? "" : "; ") + what;
    lines.push_back(std::move(line));
  }
  std::vector<std::size_t> widths(heads.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t c = 0; c < line.size(); ++c)
      row += fmt::format("{}{:<{}}", c == 0 ? "" : " | ", line[c], widths[c]);
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    if (&line == &lines.front() && skipped > 0)
      text += fmt::format("... {} rows before\n", skipped);
  }
  return text;
}

}  // namespace spillway::task
