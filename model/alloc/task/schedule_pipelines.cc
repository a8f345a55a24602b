// What pipelines declare against the tasks that use them: strides, arrivals, clusters.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "model/alloc/task/schedule_parts.h"

namespace spillway::task {
namespace {

bool Does(const TaskUse& use, const StagedPipeline* pipeline, TaskVerb verb) {
  const std::vector<const TaskOperation*> all = InOrder(use, 1);
  return std::any_of(all.begin(), all.end(), [&](const TaskOperation* operation) {
    if (operation->verb != verb) return false;
    const std::vector<const StagedPipeline*> on = PipelinesOf(*operation);
    return std::find(on.begin(), on.end(), pipeline) != on.end();
  });
}

/// Pipelines of the tasks' resources and of the groups that they operate on, each once, in order.
std::vector<const StagedPipeline*> AllPipelines(std::span<const TaskUse> tasks) {
  std::vector<const StagedPipeline*> all;
  const auto add = [&](const StagedPipeline* pipeline) {
    if (std::find(all.begin(), all.end(), pipeline) == all.end()) all.push_back(pipeline);
  };
  for (const TaskUse& use : tasks) {
    for (const TaskResource* const resource : ResourcesOf(use)) {
      if (const PipelinePointer pipeline = resource->pipeline()) add(pipeline.get());
    }
    for (const TaskOperation* const operation : InOrder(use, 1)) {
      for (const StagedPipeline* const pipeline : PipelinesOf(*operation)) add(pipeline);
    }
  }
  return all;
}

/// Who arrives on a side, and with how much.
struct Arriving {
  std::int64_t derived = 0;
  std::string by;  ///< "A 128 + B 32"
};

Arriving ThreadsOf(std::span<const TaskUse> tasks, const StagedPipeline* pipeline, TaskVerb verb,
                   SideKind kind) {
  Arriving arriving;
  for (const TaskUse& use : tasks) {
    if (!Does(use, pipeline, verb)) continue;
    const std::int64_t own = DerivedArrivals({kind, use.warps, use.ctas, 0});
    arriving.derived += own;
    arriving.by += fmt::format("{}{} {}", arriving.by.empty() ? "" : " + ", use.task, own);
  }
  return arriving;
}

/// Bytes of the transfers that one phase takes; a finding where a task's commits differ.
Arriving BytesOf(std::span<const TaskUse> tasks, const StagedPipeline* pipeline,
                 std::vector<ScheduleFinding>& findings) {
  Arriving arriving;
  for (const TaskUse& use : tasks) {
    std::optional<Bytes> of_warp;
    for (const TaskOperation* const operation : InOrder(use, 1)) {
      const std::vector<const StagedPipeline*> on = PipelinesOf(*operation);
      if (operation->verb != TaskVerb::kCommit ||
          std::find(on.begin(), on.end(), pipeline) == on.end())
        continue;
      if (!of_warp) of_warp = operation->bytes_per_warp;
      if (*of_warp == operation->bytes_per_warp) continue;
      findings.push_back(
          {Code::kPipelineArrivals, false,
           fmt::format("task {}: commit of {}: expected {} bytes a warp as in its first commit, "
                       "found {}",
                       use.task, NameOf(*operation), of_warp->value,
                       operation->bytes_per_warp.value)});
    }
    if (!of_warp) continue;
    const std::int64_t own = DerivedArrivals({SideKind::kDma, use.warps, use.ctas, of_warp->value});
    arriving.derived += own;
    arriving.by +=
        fmt::format("{}{} {} ({} a warp, {} warps, {} CTAs)", arriving.by.empty() ? "" : " + ",
                    use.task, own, of_warp->value, use.warps, use.ctas);
  }
  return arriving;
}

std::string ClusterText(const ClusterLayout& cluster) {
  return fmt::format("{} x {} x {} x {}", cluster[0], cluster[1], cluster[2], cluster[3]);
}

}  // namespace

std::vector<ScheduleFinding> CheckLanes(const TaskUse& use) {
  std::vector<ScheduleFinding> findings;
  for (const StagedPipeline* const pipeline : AllPipelines(std::span(&use, 1))) {
    const Interleaving& strides = pipeline->options().interleaving;
    const auto check = [&](TaskVerb open, std::int64_t open_stride, TaskVerb close,
                           std::int64_t close_stride) {
      if (open_stride == close_stride || !Does(use, pipeline, open) || !Does(use, pipeline, close))
        return;
      findings.push_back(
          {Code::kPipelineInterleaving, false,
           fmt::format("task {}: pipeline {}: expected {} and {} in tasks of their own, since "
                       "their strides are {} and {}, found both in this one",
                       use.task, pipeline->name(), TaskVerbName(open), TaskVerbName(close),
                       open_stride, close_stride)});
    };
    check(TaskVerb::kAcquire, strides.acquire, TaskVerb::kCommit, strides.commit);
    check(TaskVerb::kWait, strides.wait, TaskVerb::kRelease, strides.release);
  }
  return findings;
}

std::vector<ScheduleFinding> CheckDeclaredArrivals(std::span<const TaskUse> tasks) {
  std::vector<ScheduleFinding> findings;
  for (const StagedPipeline* const pipeline : AllPipelines(tasks)) {
    const PipelineOptions& options = pipeline->options();
    const auto report = [&](Side side, std::string_view what, std::int64_t declared,
                            const Arriving& arriving) {
      if (arriving.by.empty() || arriving.derived == declared) return;
      findings.push_back(
          {Code::kPipelineArrivals, false,
           fmt::format("pipeline {}: expected {} {} of the {} side: {}; found {}", options.name,
                       arriving.derived, what, SideName(side), arriving.by, declared)});
    };
    if (options.producer != SideKind::kDma) {
      report(Side::kProducer, "arrivals", options.producer_arrivals,
             ThreadsOf(tasks, pipeline, TaskVerb::kCommit, options.producer));
    } else if (options.transfer_bytes) {
      const Arriving bytes = BytesOf(tasks, pipeline, findings);
      report(Side::kProducer, "bytes", options.transfer_bytes->value, bytes);
    }
    // Transfers that release have no number to declare.
    if (options.consumer != SideKind::kDma) {
      report(Side::kConsumer, "arrivals", options.consumer_arrivals,
             ThreadsOf(tasks, pipeline, TaskVerb::kRelease, options.consumer));
    }
  }
  return findings;
}

std::vector<ScheduleFinding> CheckClusters(std::span<const TaskUse> tasks) {
  std::vector<ScheduleFinding> findings;
  const std::vector<const StagedPipeline*> all = AllPipelines(tasks);
  for (const StagedPipeline* const pipeline : all) {
    const ClusterLayout& cluster = pipeline->options().cluster;
    const ClusterLayout& wanted = all.front()->options().cluster;
    if (cluster == wanted) continue;
    findings.push_back({Code::kClusterMismatch, false,
                        fmt::format("pipeline {}: expected the cluster layout {} of pipeline {}, "
                                    "found {}; all pipelines of a kernel have one layout",
                                    pipeline->name(), ClusterText(wanted), all.front()->name(),
                                    ClusterText(cluster))});
  }
  return findings;
}

}  // namespace spillway::task
