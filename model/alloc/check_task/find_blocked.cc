#include "model/alloc/check_task/find_blocked.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::task {
namespace {

/// The step of `task` that holds its part #number of `kind` on `pipeline`; nothing: it has none.
std::optional<std::uint32_t> FindPart(const Program& program, TaskId task, OperationKind kind,
                                      PipelineId pipeline, std::int64_t number) {
  const std::vector<Step>& steps = program.steps[task];
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    for (const SyncPart& part : program.PartsOf(steps[i])) {
      if (part.kind == kind && part.pipeline == pipeline && part.number == number) return i;
    }
  }
  return std::nullopt;
}

class Explainer {
 public:
  Explainer(const PipelineSystem& system, const Program& program, const Execution& execution)
      : system_(system), program_(program), execution_(execution) {}

  BlockedTask Explain(TaskId task, std::uint32_t step) const {
    const Step& its = program_.steps[task][step];
    BlockedTask blocked{task, step, "", ""};
    std::string names;
    std::string numbers;
    std::string reasons;
    for (const SyncPart& part : program_.PartsOf(its)) {
      const std::string& pipeline = system_.pipelines[part.pipeline].name;
      names += (names.empty() ? "" : "+") + pipeline;
      numbers += fmt::format("{}{} #{}", numbers.empty() ? "" : ", ", pipeline, part.number);
      reasons += Missing(part);
    }
    const std::string& name = system_.tasks[task].name;
    const std::string_view operation = OperationKindName(its.kind);
    blocked.name = fmt::format("{}:{} {}", name, operation, names);
    blocked.text =
        fmt::format("task {} never gets past {} {}{}", name, operation, numbers, reasons);
    return blocked;
  }

 private:
  /// "; fill #0 of q lacks commit #0 of B, which stands behind its wait p".
  std::string Missing(const SyncPart& part) const {
    const bool fills = part.kind == OperationKind::kWait;
    const Pipeline& pipeline = system_.pipelines[part.pipeline];
    const std::int64_t number = fills ? part.number : part.number - pipeline.stages;
    if (number < 0) return "";  // a free stage from the start
    const Contributors& contributors = program_.contributors[part.pipeline];
    const std::vector<TaskId>& tasks = fills ? contributors.fill : contributors.drain;
    const OperationKind kind = fills ? OperationKind::kCommit : OperationKind::kRelease;
    const std::string_view word = fills ? "commit" : "release";
    const std::string whole =
        fmt::format("{} #{} of {}", fills ? "fill" : "drain", number, pipeline.name);
    if (tasks.empty()) return fmt::format("; {}: no task ever {}s it", whole, word);
    std::string text;
    for (const TaskId task : tasks) {
      const std::optional<std::uint32_t> step =
          FindPart(program_, task, kind, part.pipeline, number);
      const std::string& name = system_.tasks[task].name;
      if (!step) {
        text +=
            fmt::format("; {} lacks {} #{} of {}, which ends before it", whole, word, number, name);
      } else if (*step >= execution_.steps_begun[task]) {
        text += fmt::format("; {} lacks {} #{} of {}, which is blocked itself", whole, word, number,
                            name);
      }
    }
    return text;
  }

  const PipelineSystem& system_;
  const Program& program_;
  const Execution& execution_;
};

}  // namespace

std::vector<BlockedTask> FindBlocked(const PipelineSystem& system, const Program& program,
                                     const Execution& execution) {
  const Explainer explainer(system, program, execution);
  std::vector<BlockedTask> blocked;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    const std::uint32_t begun = execution.steps_begun[task];
    if (begun < program.steps[task].size()) blocked.push_back(explainer.Explain(task, begun));
  }
  return blocked;
}

}  // namespace spillway::task
