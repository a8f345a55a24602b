// How many stages a rotating tensor needs for the order in which its kernel uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/alloc/rings/fill_sequence.h"
#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"

namespace spillway::rings {

struct RingDepth {
  /// Later fills that have begun, at most, when a fill is used for the last time: the distance of a
  /// software pipeline. skew + 1 stages are enough, and needed where fills share all of their
  /// bytes.
  std::int64_t skew = 0;
  std::int64_t needed = 1;  ///< the fewest with which the checks find nothing
  std::string with_fewer;   ///< what they find with one less; empty where one stage is enough
  /// What they find with the stages that are there; empty: nothing, or it wasn't asked.
  std::string as_it_is;
};

/// Accesses of one tensor that are looked at together.
inline constexpr std::size_t kMaxDepthTouches = 50'000;

/// What the checks of task pipelines find first where fill k lies in stage k mod `stages` and the
/// streams wait for each other as the program order on those places asks for: a read of a fill that
/// a later one has overwritten. Nothing: they are enough. An instruction that reads one fill and
/// writes another one on top of it is a finding, too, since it writes while it reads. Long
/// sequences are looked at in overlapping stretches that hold every two fills which are open
/// together, each pattern once. Errors: kLimit ("ring-limit") beyond kMaxDepthTouches and where the
/// checks reach a bound. Source: ts_pipelines.md §16 (correct exactly if the ring of S stages has
/// no race and no clobber).
Result<std::optional<std::string>> FindTooFewStages(const Kernel& kernel, const StreamWork& work,
                                                    const FillSequence& sequence,
                                                    std::int64_t stages);

/// The fewest stages, by FindTooFewStages: enough of them, while one less has a finding. `there`
/// asks about the stages that are there as well.
/// Errors: as FindTooFewStages.
Result<RingDepth> FindDepth(const Kernel& kernel, const StreamWork& work,
                            const FillSequence& sequence, std::optional<std::int64_t> there);

/// The fewest stages of `pipeline` with which the system doesn't stop, at most those that it has;
/// nothing where it stops with these. Its streams wait until a stage is free, so fewer stages than
/// the order of the program asks for may do: they delay the producer, unless a stream would have to
/// wait for itself. Time: the system is run a number of times that grows with the logarithm of the
/// stages.
/// Errors: those of task::LayOutSystem, task::Unroll and task::BuildEventGraph.
/// Source: ts_pipelines.md §7 (acquire), §8 (deadlock), §14.8 (more stages never stop a system).
Result<std::optional<std::int64_t>> FewestLiveStages(const task::PipelineSystem& system,
                                                     task::PipelineId pipeline);

}  // namespace spillway::rings
