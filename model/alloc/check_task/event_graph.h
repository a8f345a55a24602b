// The events of a program and what must come before each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/task/program.h"
#include "model/hw/error.h"

namespace spillway::task {

using EventId = Id<struct EventIdTag>;

enum class EventKind {
  kSync,    ///< acquire, commit, wait or release
  kBegin,   ///< of a synchronous access
  kEnd,     ///< of a synchronous access
  kIssue,   ///< of a transfer or of matrix work, in the task's order
  kDone,    ///< the transfer is over; outside of the task's order
  kRetire,  ///< the matrix work is over; outside of the task's order
};

/// Whether the task itself executes it, in its program order.
constexpr bool IsInTaskOrder(EventKind kind) {
  return kind != EventKind::kDone && kind != EventKind::kRetire;
}

struct Event {
  EventKind kind = EventKind::kSync;
  TaskId task;
  std::uint32_t step = 0;  ///< index into Program::steps[task]
  friend bool operator==(const Event&, const Event&) = default;
};

/// `source` comes before `target`.
struct OrderEdge {
  EventId source;
  EventId target;
  friend auto operator<=>(const OrderEdge&, const OrderEdge&) = default;
};

/// Events and the order between them, before anybody asks what can happen. The order is: program
/// order of a task, an issue before its completion, a retire before the next one of its task, and
/// `edges`: each part of fill #k before every wait #k, each part of drain #k before every acquire
/// #(k + stages).
/// Source: ts_pipelines.md §8, Events and Order.
struct EventGraph {
  /// Task by task in program order; a completion stands behind its issue.
  IdVector<EventId, Event> events;
  IdVector<TaskId, std::vector<EventId>> first_of_step;  ///< the first event of each step
  /// Between pipelines' two sides, grouped by target, ascending.
  std::vector<OrderEdge> edges;
  /// Waits and acquires that never happen: their fill or drain lacks a contributor's part, or has
  /// no contributor at all. Ascending.
  std::vector<EventId> dead;

  EventId Begin(TaskId task, std::uint32_t step) const { return first_of_step[task][step]; }
  /// The last event of a step: of an access its end, of asynchronous work its completion.
  EventId End(const Program& program, TaskId task, std::uint32_t step) const {
    const auto more = static_cast<std::uint32_t>(EventCount(program.steps[task][step].kind) - 1);
    return EventId(first_of_step[task][step].value + more);
  }
};

/// Edges that a graph may have: a bound on memory.
inline constexpr std::size_t kMaxOrderEdges = 20'000'000;

/// The events of `program` and their order.
/// Errors: limit (kLimit) beyond kMaxOrderEdges.
Result<EventGraph> BuildEventGraph(const PipelineSystem& system, const Program& program);

}  // namespace spillway::task
