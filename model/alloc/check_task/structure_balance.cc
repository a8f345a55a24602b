// Whether what is opened on a pipeline is closed, and what is filled is drained.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/alloc/check_task/structure_parts.h"

namespace spillway::task {
namespace {

struct Kind {
  std::string_view name;
  std::int64_t SyncCounts::*count;
};
constexpr std::array kKinds = {
    Kind{"acquires", &SyncCounts::acquires}, Kind{"commits", &SyncCounts::commits},
    Kind{"waits", &SyncCounts::waits}, Kind{"releases", &SyncCounts::releases}};

/// "acquires A 2, commits A 2, waits B 2, releases none".
std::string Counted(const PipelineSystem& system,
                    const IdVector<TaskId, IdVector<PipelineId, SyncCounts>>& counts,
                    PipelineId pipeline) {
  std::string text;
  for (const Kind& kind : kKinds) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", kind.name);
    bool any = false;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      const std::int64_t count = counts[TaskId(t)][pipeline].*kind.count;
      if (count == 0) continue;
      text += fmt::format(" {} {}", system.tasks[TaskId(t)].name, count);
      any = true;
    }
    if (!any) text += " none";
  }
  return text;
}

}  // namespace

std::vector<StructureFinding> CheckBalance(const PipelineSystem& system, const Program& program) {
  std::vector<StructureFinding> findings;
  const auto counts = CountSyncs(system, program);
  for (std::size_t p = 0; p < system.pipelines.size(); ++p) {
    const PipelineId id(p);
    const Pipeline& pipeline = system.pipelines[id];
    // For each kind: whether a task has it. And the smallest and largest number of any.
    std::array<bool, kKinds.size()> present{};
    std::int64_t least = INT64_MAX;
    std::int64_t most = 0;
    for (const auto& of_task : counts) {
      for (std::size_t k = 0; k < kKinds.size(); ++k) {
        const std::int64_t count = of_task[id].*kKinds[k].count;
        if (count == 0) continue;
        present[k] = true;
        least = std::min(least, count);
        most = std::max(most, count);
      }
    }
    if (most == 0) continue;  // nobody uses it
    const auto has = [&](std::int64_t SyncCounts::*count) {
      for (std::size_t k = 0; k < kKinds.size(); ++k) {
        if (kKinds[k].count == count) return present[k];
      }
      return false;
    };
    if (has(&SyncCounts::waits) && !has(&SyncCounts::commits)) {
      findings.push_back({StructureCode::kNoProducer,
                          fmt::format("pipeline {}: expected a task that commits it, found {}",
                                      pipeline.name, Counted(system, counts, id))});
      continue;
    }
    const bool is_whole =
        std::all_of(present.begin(), present.end(), [](bool has_it) { return has_it; });
    if (is_whole && least == most) continue;
    findings.push_back(
        {StructureCode::kUnbalanced,
         fmt::format("pipeline {}: expected as many acquires, commits, waits and releases of every "
                     "task that takes part, found {}",
                     pipeline.name, Counted(system, counts, id))});
  }
  return findings;
}

}  // namespace spillway::task
