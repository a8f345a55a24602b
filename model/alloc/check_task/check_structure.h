// Structural checks: what is wrong with a system of pipelines before anybody orders its events.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/task/program.h"

namespace spillway::task {

/// A rule that the operations of tasks break. Source: ts_pipelines.md §7, Structural checks.
enum class StructureCode {
  kNoProducer,    ///< a wait on a pipeline that no task commits
  kUnbalanced,    ///< unequal numbers of acquires, commits, waits and releases, or one is missing
  kOutside,       ///< work on a pipelined resource while the task holds no slot
  kUnopened,      ///< a close before its open
  kTooDeep,       ///< a task holds more slots than there are: it waits for itself
  kEarlyRelease,  ///< a release before the asynchronous work that needs the slot is issued
  kPipelineKind,  ///< work by an actor of another kind than the side declares
  kEdgeUnbacked,  ///< an edge of the graph that no task's operations back
};

/// Every code once, in enum order.
std::span<const StructureCode> AllStructureCodes();
/// For example "pipeline.no-producer".
std::string_view StructureCodeName(StructureCode code);

struct StructureFinding {
  StructureCode code = StructureCode::kNoProducer;
  std::string text;  ///< names and numbers, expected and found, what helps

  friend bool operator==(const StructureFinding&, const StructureFinding&) = default;
};

/// All findings: for each code, task and pipeline or resource the first one, with how often it
/// occurs. By pipeline, then by task, then by edge of the graph.
std::vector<StructureFinding> CheckStructure(const PipelineSystem& system, const Program& program);

/// The codes of `findings` by name, each once, sorted.
std::vector<std::string> StructureCodes(const std::vector<StructureFinding>& findings);

}  // namespace spillway::task
