#include "model/alloc/check_task/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/alloc/check_task/execution.h"
#include "model/alloc/check_task/program_run.h"
#include "model/alloc/check_task/schedule_events.h"

namespace spillway::task {
namespace {

/// The first kMaxNamesOfStep items in words, and how many more there are.
template <class Items, class Text>
std::string Listed(const Items& items, const Text& text) {
  std::string list;
  const std::size_t shown = std::min(items.size(), kMaxNamesOfStep);
  for (std::size_t i = 0; i < shown; ++i) list += (i == 0 ? "" : ", ") + text(items[i]);
  if (shown < items.size()) list += fmt::format(" and {} more", items.size() - shown);
  return list;
}

std::string TextOfAccesses(const PipelineSystem& system, const Program& program, const Step& step) {
  return Listed(program.AccessesOf(step), [&](const StepAccess& access) {
    return fmt::format("{} {} #{}", AccessKindName(access.kind),
                       system.resources[access.resource].name, access.occurrence);
  });
}

/// "acquire sp #0", "write sp #1", "dma write ab #0".
std::string TextOfStep(const PipelineSystem& system, const Program& program, const Step& step) {
  std::string items = TextOfAccesses(system, program, step);
  if (step.kind == OperationKind::kAccess) return items;
  if (step.access_count == 0) {
    items = Listed(program.PartsOf(step), [&](const SyncPart& part) {
      return fmt::format("{} #{}", system.pipelines[part.pipeline].name, part.number);
    });
  }
  return fmt::format("{} {}", OperationKindName(step.kind), items);
}

/// Plays events on a run of their own, which refuses what can't happen, and writes down the last
/// rows.
class Player {
 public:
  /// Of the steps in progress the ones that begin with `focus` are always named.
  Player(const PipelineSystem& system, const Program& program, const EventGraph& graph,
         const std::vector<EventId>& focus)
      : system_(system),
        program_(program),
        graph_(graph),
        focus_(focus),
        run_(system, program),
        sides_(system.pipelines.size()) {}

  /// With `join_last` the last two events are one row, if two tasks do them.
  Witness Play(const std::vector<EventId>& events, bool join_last) {
    FindParts(events);
    const auto is_whole = [&](std::size_t i) {
      return graph_.events[events[i]].kind == EventKind::kBegin && i + 1 < events.size() &&
             events[i + 1].value == events[i].value + 1;
    };
    std::size_t rows = 0;
    for (std::size_t i = 0; i < events.size(); i += is_whole(i) ? 2 : 1) ++rows;
    const std::size_t skipped = rows - std::min(rows, kMaxWitnessRows);
    witness_.skipped_rows = static_cast<std::int64_t>(skipped);
    std::size_t row = 0;
    for (std::size_t i = 0; i < events.size(); ++i, ++row) {
      const Event& event = graph_.events[events[i]];
      const bool whole = is_whole(i);
      Happen(event);
      if (whole) Happen(graph_.events[events[++i]]);
      if (row >= skipped) AddRow(event, whole);
    }
    if (join_last) JoinLastRows();
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
    run_.Happen(event);
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
      while (run_.IsComplete(id, Side::kProducer, sides.fills)) ++sides.fills;
      while (run_.IsComplete(id, Side::kConsumer, sides.drains)) ++sides.drains;
      row.credits.push_back({system_.pipelines[id].stages + sides.drains - sides.most_acquires,
                             sides.fills - sides.most_waits});
    }
    const auto named = NamedInProgress();
    for (const auto& [task, step] : named) {
      const Step& its = program_.steps[task][step];
      row.in_progress.push_back(ActorName(system_, ActorOf(task, its)) + " " +
                                TextOfAccesses(system_, program_, its));
    }
    const std::size_t all = run_.CountInProgress();
    if (named.size() < all)
      row.in_progress.push_back(fmt::format("and {} more", all - named.size()));
    witness_.rows.push_back(std::move(row));
  }

  std::vector<std::pair<TaskId, std::uint32_t>> NamedInProgress() const {
    auto named = run_.InProgress(kMaxInProgress);
    std::size_t keep = named.size();
    for (const EventId id : focus_) {
      const std::pair step(graph_.events[id].task, graph_.events[id].step);
      if (!run_.IsInProgress(step.first, step.second) ||
          std::find(named.begin(), named.end(), step) != named.end())
        continue;
      // One that isn't among the first ones takes a place at the end.
      do {
        --keep;
      } while (IsFocus(named[keep]));
      named[keep] = step;
    }
    return named;
  }

  bool IsFocus(const std::pair<TaskId, std::uint32_t>& step) const {
    return std::any_of(focus_.begin(), focus_.end(), [&](EventId id) {
      return graph_.events[id].task == step.first && graph_.events[id].step == step.second;
    });
  }

  void JoinLastRows() {
    std::vector<WitnessRow>& rows = witness_.rows;
    if (rows.size() < 2) return;
    WitnessRow& last = rows.back();
    const WitnessRow& before = rows[rows.size() - 2];
    if (last.cells.front().first == before.cells.front().first) return;
    last.cells.insert(last.cells.begin(), before.cells.begin(), before.cells.end());
    std::sort(last.cells.begin(), last.cells.end());
    rows.erase(rows.end() - 2);
  }

  const PipelineSystem& system_;
  const Program& program_;
  const EventGraph& graph_;
  const std::vector<EventId>& focus_;
  ProgramRun run_;
  IdVector<PipelineId, Sides> sides_;
  Witness witness_;
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
  return Player(system, program, graph, both).Play(events, join);
}

Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const Clobber& clobber) {
  const std::vector<EventId> held = {BeginOf(graph, clobber.write), BeginOf(graph, clobber.read)};
  return Player(system, program, graph, held)
      .Play(ScheduleEvents(graph, {BeginOf(graph, clobber.read)}, held), false);
}

Witness WitnessOf(const PipelineSystem& system, const Program& program, const EventGraph& graph,
                  const UninitializedRead& read) {
  const std::vector<EventId> target = {BeginOf(graph, read.read)};
  return Player(system, program, graph, target).Play(ScheduleEvents(graph, target, target), false);
}

Witness WitnessOfDeadlock(const PipelineSystem& system, const Program& program,
                          const EventGraph& graph) {
  const std::vector<EventId> nothing;
  return Player(system, program, graph, nothing)
      .Play(ScheduleEvents(graph, Execute(graph).order, nothing), false);
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
