// Whether each task works on a pipelined resource only while it holds a slot, and in the way that
// the side declares.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/alloc/check_task/downstream_pipelines.h"
#include "model/alloc/check_task/structure_parts.h"
#include "model/hw/error.h"

namespace spillway::task {
namespace {

constexpr std::string_view OpenWord(Side side) {
  return side == Side::kProducer ? "acquire" : "wait";
}
constexpr std::string_view CloseWord(Side side) {
  return side == Side::kProducer ? "commit" : "release";
}

/// Which side a part opens or closes.
constexpr Side SideOf(OperationKind kind) {
  return kind == OperationKind::kAcquire || kind == OperationKind::kCommit ? Side::kProducer
                                                                           : Side::kConsumer;
}
constexpr bool Opens(OperationKind kind) {
  return kind == OperationKind::kAcquire || kind == OperationKind::kWait;
}

class Walk {
 public:
  Walk(const PipelineSystem& system, const Program& program)
      : system_(system),
        program_(program),
        totals_(CountSyncs(system, program)),
        downstream_(DownstreamPipelines(system)) {}

  void Run(TaskId task) {
    task_ = task;
    counts_ = IdVector<PipelineId, SyncCounts>(system_.pipelines.size());
    opened_ = PipelineSet(system_.pipelines.size());
    const std::vector<const Operation*> operations = UnrolledOperations(system_.tasks[task]);
    const std::vector<Step>& steps = program_.steps[task];
    SPILLWAY_CHECK(operations.size() == steps.size(), "a step for each operation");
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const SideKind actor = ActorOf(task, steps[i]).kind;
      const auto accesses = program_.AccessesOf(steps[i]);
      for (std::size_t k = 0; k < accesses.size(); ++k)
        LookAt(accesses[k], operations[i]->accesses[k].side, actor);
      for (const SyncPart& part : program_.PartsOf(steps[i])) LookAt(part);
    }
  }

  std::vector<StructureFinding> Found() const {
    std::vector<StructureFinding> findings;
    for (const Key& key : order_) {
      const auto& [text, times] = found_.at(key);
      findings.push_back(
          {std::get<0>(key), times == 1 ? text : fmt::format("{} ({} times)", text, times)});
    }
    return findings;
  }

 private:
  using Key = std::tuple<StructureCode, TaskId, Side, std::uint32_t>;

  template <class Text>
  void Report(StructureCode code, Side side, std::uint32_t what, const Text& text) {
    const Key key{code, task_, side, what};
    const auto at = found_.find(key);
    if (at != found_.end()) {
      ++at->second.second;
      return;
    }
    order_.push_back(key);
    found_.emplace(key,
                   std::pair(fmt::format("task {}: {}", system_.tasks[task_].name, text()), 1));
  }

  void LookAt(const StepAccess& access, Side side, SideKind actor) {
    const Resource& resource = system_.resources[access.resource];
    if (!resource.pipeline) return;
    const Pipeline& pipeline = system_.pipelines[*resource.pipeline];
    const SyncCounts& counts = counts_[*resource.pipeline];
    if (counts.Opens(side) <= counts.Closes(side) &&
        !(side == Side::kConsumer && IsSplitConsumer(*resource.pipeline))) {
      Report(StructureCode::kOutside, side, access.resource.value, [&] {
        return fmt::format(
            "{} of {} #{}: expected a slot of pipeline {}, so more {}s than {}s "
            "before it, found {} and {}",
            AccessKindName(access.kind), resource.name, access.occurrence, pipeline.name,
            OpenWord(side), CloseWord(side), counts.Opens(side), counts.Closes(side));
      });
    }
    const std::optional<SideKind> declared = pipeline.Kinds(side).Of(task_);
    if (declared && *declared != actor) {
      Report(StructureCode::kPipelineKind, side, access.resource.value, [&] {
        return fmt::format(
            "{} of {} #{}: expected an actor of kind {}, which is the {} of pipeline "
            "{}, found {}: its {} would say nothing about this work",
            AccessKindName(access.kind), resource.name, access.occurrence, SideKindName(*declared),
            SideName(side), pipeline.name, SideKindName(actor), CloseWord(side));
      });
    }
  }

  void LookAt(const SyncPart& part) {
    const Side side = SideOf(part.kind);
    const Pipeline& pipeline = system_.pipelines[part.pipeline];
    SyncCounts& counts = counts_[part.pipeline];
    const SyncCounts& total = totals_[task_][part.pipeline];
    const bool is_split = side == Side::kConsumer && IsSplitConsumer(part.pipeline);
    counts.Add(part.kind);
    if (Opens(part.kind)) opened_.Add(part.pipeline);
    const std::int64_t held = counts.Opens(side) - counts.Closes(side);
    if (!Opens(part.kind) && held < 0 && !is_split) {
      Report(StructureCode::kUnopened, side, part.pipeline.value, [&] {
        return fmt::format("{} #{} of pipeline {}: expected its {} before it, found {}",
                           CloseWord(side), part.number, pipeline.name, OpenWord(side),
                           counts.Opens(side));
      });
    }
    if (Opens(part.kind) && held > pipeline.stages && total.Closes(side) > 0) {
      Report(StructureCode::kTooDeep, side, part.pipeline.value, [&] {
        return fmt::format(
            "{} #{} of pipeline {}: expected at most {} slots held, found {}: what "
            "the task waits for needs its own {}",
            OpenWord(side), part.number, pipeline.name, pipeline.stages, held, CloseWord(side));
      });
    }
  }

  /// Whether the task may use and release the pipeline without waiting on it: it never waits, and
  /// it has opened what is downstream of the pipeline's data.
  bool IsSplitConsumer(PipelineId pipeline) const {
    return totals_[task_][pipeline].waits == 0 && downstream_[pipeline].Meets(opened_);
  }

  const PipelineSystem& system_;
  const Program& program_;
  const IdVector<TaskId, IdVector<PipelineId, SyncCounts>> totals_;
  const IdVector<PipelineId, PipelineSet> downstream_;
  TaskId task_;
  IdVector<PipelineId, SyncCounts> counts_;
  PipelineSet opened_;  ///< acquired or waited for by the task
  std::map<Key, std::pair<std::string, std::int64_t>> found_;
  std::vector<Key> order_;
};

}  // namespace

std::vector<StructureFinding> CheckBrackets(const PipelineSystem& system, const Program& program) {
  Walk walk(system, program);
  for (std::size_t t = 0; t < program.steps.size(); ++t) walk.Run(TaskId(t));
  return walk.Found();
}

}  // namespace spillway::task
