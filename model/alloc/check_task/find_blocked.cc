#include "model/alloc/check_task/find_blocked.h"

#include <fmt/format.h>

#include <optional>

#include "model/alloc/check_task/program_places.h"

namespace spillway::task {
namespace {

/// Characters of reasons beyond which a blocked operation of many pipelines only counts the others.
constexpr std::size_t kMaxReasons = 16'384;

class Explainer {
 public:
  Explainer(const PipelineSystem& system, const Program& program, const Execution& execution)
      : system_(system), program_(program), execution_(execution), places_(PlacesOf(program)) {}

  BlockedTask Explain(TaskId task, std::uint32_t step) const {
    const Step& its = program_.steps[task][step];
    BlockedTask blocked{task, step, "", ""};
    std::string names;
    std::string numbers;
    std::string reasons;
    std::size_t untold = 0;
    for (const SyncPart& part : program_.PartsOf(its)) {
      const std::string& pipeline = system_.pipelines[part.pipeline].name;
      names += (names.empty() ? "" : "+") + pipeline;
      numbers += fmt::format("{}{} #{}", numbers.empty() ? "" : ", ", pipeline, part.number);
      if (reasons.size() < kMaxReasons) {
        reasons += Missing(part);
      } else {
        ++untold;
      }
    }
    if (untold > 0) reasons += fmt::format("; {} more pipelines, untold", untold);
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
    const auto& parts = fills ? places_.fills[part.pipeline] : places_.drains[part.pipeline];
    const std::string_view word = fills ? "commit" : "release";
    const std::string whole =
        fmt::format("{} #{} of {}", fills ? "fill" : "drain", number, pipeline.name);
    if (tasks.empty()) return fmt::format("; {}: no task ever {}s it", whole, word);
    std::string text;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const TaskId task = tasks[i];
      const std::optional<std::uint32_t> step = StepOf(task, parts[i], number);
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

  /// The step of `task` that holds part #number of `parts`; nothing: it has none.
  std::optional<std::uint32_t> StepOf(TaskId task, const std::vector<PartPlace>& parts,
                                      std::int64_t number) const {
    if (number >= static_cast<std::int64_t>(parts.size())) return std::nullopt;
    const std::uint32_t behind = parts[static_cast<std::size_t>(number)].event;
    return places_.tasks[task].step_of_event[behind - 1];
  }

  const PipelineSystem& system_;
  const Program& program_;
  const Execution& execution_;
  const ProgramPlaces places_;
};

}  // namespace

std::vector<BlockedTask> FindBlocked(const PipelineSystem& system, const Program& program,
                                     const Execution& execution) {
  std::vector<BlockedTask> blocked;
  std::optional<Explainer> explainer;  // only a deadlock needs one
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    const std::uint32_t begun = execution.steps_begun[task];
    if (begun == program.steps[task].size()) continue;
    if (!explainer) explainer.emplace(system, program, execution);
    blocked.push_back(explainer->Explain(task, begun));
  }
  return blocked;
}

}  // namespace spillway::task
