#include "model/alloc/check_task/event_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/task/codes.h"
#include "model/hw/fault.h"

namespace spillway::task {
namespace {

/// The events in which one task's parts of the fills (drains) of one pipeline complete, by number.
/// A part of a matrix side completes with two events: its own and the last retire before it.
struct Contribution {
  TaskId task;
  std::vector<std::vector<EventId>> parts;
};

struct BothSides {
  std::vector<Contribution> fills;
  std::vector<Contribution> drains;
};

class GraphBuilder {
 public:
  GraphBuilder(const PipelineSystem& system, const Program& program)
      : system_(system), program_(program), sides_(system.pipelines.size()) {}

  Result<EventGraph> Build() {
    graph_.first_of_step.resize(program_.steps.size());
    for (std::size_t i = 0; i < program_.steps.size(); ++i) AddEvents(TaskId(i));
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (!AddEdges(TaskId(i))) {
        return Fail(MakeError(Code::kLimit,
                              fmt::format("tasks: expected at most {} edges between commits and "
                                          "waits, releases and acquires, found more; fewer "
                                          "contributors or iterations would show the same",
                                          kMaxOrderEdges)));
      }
    }
    return std::move(graph_);
  }

 private:
  void AddEvents(TaskId task) {
    std::vector<EventId> last_retire;  // empty or one
    const std::vector<Step>& steps = program_.steps[task];
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const auto add = [&](EventKind kind) {
        return graph_.events.push_back({kind, task, static_cast<std::uint32_t>(i)});
      };
      EventId first;
      EventId last;
      switch (step.kind) {
        case OperationKind::kAccess:
          first = add(EventKind::kBegin);
          last = add(EventKind::kEnd);
          break;
        case OperationKind::kDma:
          first = add(EventKind::kIssue);
          last = add(EventKind::kDone);
          break;
        case OperationKind::kMatrix:
          first = add(EventKind::kIssue);
          last = add(EventKind::kRetire);
          last_retire.assign(1, last);
          break;
        default: first = last = add(EventKind::kSync);
      }
      graph_.first_of_step[task].push_back(first);
      for (const SyncPart& part : program_.PartsOf(step)) {
        std::vector<EventId> completes = {
            SPILLWAY_FAULT(D14, last, fault::IsVariant(2) ? first : last)};
        if (SPILLWAY_FAULT(D14, part.completion == SideKind::kMatrix,
                           part.completion == SideKind::kMatrix && !fault::IsVariant(1)))
          completes.insert(completes.end(), last_retire.begin(), last_retire.end());
        if (part.kind == OperationKind::kCommit)
          Contribute(sides_[part.pipeline].fills, task, std::move(completes));
        if (part.kind == OperationKind::kRelease)
          Contribute(sides_[part.pipeline].drains, task, std::move(completes));
      }
    }
  }

  static void Contribute(std::vector<Contribution>& contributions, TaskId task,
                         std::vector<EventId> completes) {
    if (contributions.empty() || contributions.back().task != task)
      contributions.push_back({task, {}});
    contributions.back().parts.push_back(std::move(completes));
  }

  bool AddEdges(TaskId task) {
    const std::vector<Step>& steps = program_.steps[task];
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const EventId target = graph_.first_of_step[task][i];
      const std::size_t before = graph_.edges.size();
      bool dead = false;
      for (const SyncPart& part : program_.PartsOf(steps[i])) {
        const BothSides& sides = sides_[part.pipeline];
        if (part.kind == OperationKind::kWait)
          dead = !Join(sides.fills, part.number, target) || dead;
        const std::int64_t stages = system_.pipelines[part.pipeline].stages;
        if (part.kind == OperationKind::kAcquire && part.number >= stages)
          dead = !Join(sides.drains, part.number - stages, target) || dead;
        if (graph_.edges.size() > kMaxOrderEdges) return false;
      }
      if (dead) graph_.dead.push_back(target);
      const auto own = graph_.edges.begin() + static_cast<std::ptrdiff_t>(before);
      std::sort(own, graph_.edges.end());
      graph_.edges.erase(std::unique(own, graph_.edges.end()), graph_.edges.end());
    }
    return true;
  }

  /// Whether every contributor has a part #number; edges from those that have one.
  bool Join(const std::vector<Contribution>& contributions, std::int64_t number, EventId target) {
    bool whole = !contributions.empty();
    for (const Contribution& contribution : contributions) {
      if (number >= static_cast<std::int64_t>(contribution.parts.size())) {
        whole = false;
        continue;
      }
      for (const EventId source : contribution.parts[static_cast<std::size_t>(number)])
        graph_.edges.push_back({source, target});
      if (SPILLWAY_FAULT(D14, false, fault::IsVariant(3))) break;
    }
    return whole;
  }

  const PipelineSystem& system_;
  const Program& program_;
  IdVector<PipelineId, BothSides> sides_;
  EventGraph graph_;
};

}  // namespace

Result<EventGraph> BuildEventGraph(const PipelineSystem& system, const Program& program) {
  return GraphBuilder(system, program).Build();
}

}  // namespace spillway::task
