#include "model/alloc/check_task/schedule_events.h"

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::task {
namespace {

/// What must come right before each event.
class Predecessors {
 public:
  explicit Predecessors(const EventGraph& graph) : graph_(graph), own_(graph.events.size()) {
    std::vector<EventId> last;         // in the order of the task: none or one
    std::vector<EventId> last_retire;  // none or one
    TaskId task;
    for (std::size_t i = 0; i < graph.events.size(); ++i) {
      const EventId id(i);
      const Event& event = graph.events[id];
      if (i == 0 || event.task != task) {
        last.clear();
        last_retire.clear();
      }
      task = event.task;
      own_[id] = last;  // of a completion: its issue
      if (IsInTaskOrder(event.kind)) last.assign(1, id);
      if (event.kind != EventKind::kRetire) continue;
      own_[id].insert(own_[id].end(), last_retire.begin(), last_retire.end());
      last_retire.assign(1, id);
    }
  }

  template <class Visit>
  void Each(EventId event, const Visit& visit) const {
    for (const EventId before : own_[event]) visit(before);
    const auto [from, to] = std::equal_range(
        graph_.edges.begin(), graph_.edges.end(), OrderEdge{{}, event},
        [](const OrderEdge& a, const OrderEdge& b) { return a.target < b.target; });
    for (auto edge = from; edge != to; ++edge) visit(edge->source);
  }

 private:
  const EventGraph& graph_;
  IdVector<EventId, std::vector<EventId>> own_;
};

class Scheduler {
 public:
  Scheduler(const EventGraph& graph, const std::vector<EventId>& targets,
            const std::vector<EventId>& held)
      : before_(graph),
        held_(held),
        needed_(graph.events.size(), false),
        happened_(graph.events.size(), false),
        pending_(graph.first_of_step.size()) {
    std::vector<EventId> open = targets;
    while (!open.empty()) {
      const EventId event = open.back();
      open.pop_back();
      if (needed_[event]) continue;
      needed_[event] = true;
      ++count_;
      before_.Each(event, [&](EventId earlier) { open.push_back(earlier); });
    }
    // What is left of each task, its own order and its completions apart.
    for (std::size_t i = 0; i < graph.events.size(); ++i) {
      const Event& event = graph.events[EventId(i)];
      if (!needed_[EventId(i)]) continue;
      Pending& pending = pending_[event.task];
      (IsInTaskOrder(event.kind) ? pending.own : pending.completions).push_back(EventId(i));
    }
  }

  std::vector<EventId> Run() {
    while (order_.size() < count_) {
      if (Round(false)) continue;
      SPILLWAY_CHECK(Round(true), "what a schedule is asked for can happen");
    }
    return std::move(order_);
  }

 private:
  struct Pending {
    std::vector<EventId> own;
    std::size_t next_own = 0;
    std::vector<EventId> completions;
    std::size_t first_completion = 0;  ///< those before it have happened
  };

  /// Each task in turn as far as it gets. With `take_held` only one event that was held back.
  bool Round(bool take_held) {
    bool any = false;
    for (Pending& pending : pending_) {
      while (Advance(pending, take_held)) {
        any = true;
        if (take_held) return true;
      }
    }
    return any;
  }

  bool Advance(Pending& pending, bool take_held) {
    if (pending.next_own < pending.own.size() && Take(pending.own[pending.next_own], take_held)) {
      ++pending.next_own;
      return true;
    }
    while (pending.first_completion < pending.completions.size() &&
           happened_[pending.completions[pending.first_completion]])
      ++pending.first_completion;
    // A completion follows its issue, so only those of issued work are looked at.
    for (std::size_t i = pending.first_completion; i < pending.completions.size(); ++i) {
      const EventId completion = pending.completions[i];
      if (happened_[completion]) continue;
      if (!happened_[EventId(completion.value - 1)]) return false;
      if (Take(completion, take_held)) return true;
    }
    return false;
  }

  bool Take(EventId event, bool take_held) {
    const bool is_held = std::find(held_.begin(), held_.end(), event) != held_.end();
    if (is_held && !take_held) return false;
    bool ready = true;
    before_.Each(event, [&](EventId earlier) { ready = ready && happened_[earlier]; });
    if (!ready) return false;
    happened_[event] = true;
    order_.push_back(event);
    return true;
  }

  const Predecessors before_;
  const std::vector<EventId>& held_;
  IdVector<EventId, bool> needed_;
  IdVector<EventId, bool> happened_;
  std::size_t count_ = 0;
  IdVector<TaskId, Pending> pending_;
  std::vector<EventId> order_;
};

}  // namespace

std::vector<EventId> ScheduleEvents(const EventGraph& graph, const std::vector<EventId>& targets,
                                    const std::vector<EventId>& held) {
  return Scheduler(graph, targets, held).Run();
}

}  // namespace spillway::task
