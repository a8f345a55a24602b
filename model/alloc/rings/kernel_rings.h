// From a placed kernel to a system of task pipelines: what rotates becomes rings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/alloc/ir/placement.h"
#include "model/alloc/rings/find_waits.h"
#include "model/alloc/rings/ring_depth.h"
#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"
#include "model/hw/target.h"

namespace spillway::rings {

/// What became of an on-chip tensor.
struct TensorRing {
  TensorId tensor;
  std::int64_t fills = 0;
  std::int64_t places = 1;  ///< distinct ones of its blocks
  /// Of the system; nothing: its accesses meet at semaphores, or in one stream, and `refusal` says
  /// why it is no pipeline.
  std::optional<task::PipelineId> pipeline;
  std::optional<Error> refusal;
};

struct KernelRings {
  task::PipelineSystem system;
  std::vector<TensorRing> tensors;  ///< those that are touched, by id
  StreamWork work;
  std::vector<FillSequence> fills;  ///< parallel to `tensors`
  std::int64_t semaphores = 0;      ///< pipelines without memory, behind the rings'
  /// The same with its longest loops cut, where the whole is too large for the checks: the trips
  /// that are left show what all show. Source: ts_pipelines.md §8, Minimum number of iterations.
  std::optional<task::PipelineSystem> cut;
};

/// Operations of a system that is checked as it is; more are cut.
inline constexpr std::int64_t kMaxWholeOperations = 300'000;

/// A task for each stream, a pipeline for each tensor that FindRing takes, everything else ordered
/// by semaphores: the program's own dependences and those between tensors that share bytes. Loops
/// are kept where turns repeat, trip counts included; a dynamic loop has the trips of its bound.
/// Errors: "ring-not-placed" (kOutOfRange), those of CollectWork, FindWaits and BuildSystem.
/// Source: ts_pipelines.md §16.
Result<KernelRings> DeriveRings(const Kernel& kernel, const Placement& placement,
                                const Target& target);

/// Every block of every tensor a resource at its place, and no rings: the placement is one big
/// alias relation, and only semaphores keep its tensors apart. `options` say which.
/// Errors: as DeriveRings. Source: ts_pipelines.md §16, Use for the allocators.
Result<task::PipelineSystem> PlacementSystem(const Kernel& kernel, const Placement& placement,
                                             const Target& target, const WaitOptions& options = {});

/// The same with anybody's streams and waits: `work` has those streams, and its instances are the
/// kernel's in program order.
/// Errors: "ring-not-placed", those of BuildSystem.
Result<task::PipelineSystem> PlacementSystem(const Kernel& kernel, const Placement& placement,
                                             const Target& target, const StreamWork& work,
                                             const Waits& waits);

}  // namespace spillway::rings
