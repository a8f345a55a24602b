// Which pipelines carry what the dependency graph makes of a pipeline's data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/alloc/task/pipeline_system.h"

namespace spillway::task {

/// Some of a system's pipelines, a bit each.
class PipelineSet {
 public:
  explicit PipelineSet(std::size_t pipelines = 0) : words_((pipelines + 63) / 64, 0) {}

  void Add(PipelineId id) { words_[id.value / 64] |= std::uint64_t{1} << (id.value % 64); }
  void AddAll(const PipelineSet& other);
  bool Contains(PipelineId id) const { return (words_[id.value / 64] >> (id.value % 64) & 1) != 0; }
  /// Whether both hold one.
  bool Meets(const PipelineSet& other) const;

 private:
  std::vector<std::uint64_t> words_;
};

/// For each pipeline the pipelines of all resources that are transitively downstream of a resource
/// of its own: the pipeline itself only where a cycle leads back to it.
/// Time: linear in the resources and edges, times the words of a set.
/// Source: ts_pipelines.md §7, Dependency graph.
IdVector<PipelineId, PipelineSet> DownstreamPipelines(const PipelineSystem& system);

}  // namespace spillway::task
