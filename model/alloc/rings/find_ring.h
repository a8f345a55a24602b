// Whether a tensor's places are the stages of a pipeline, and who opens and closes them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/alloc/ir/placement.h"
#include "model/alloc/rings/fill_sequence.h"
#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"

namespace spillway::rings {

/// An access through the pipeline's slot number.
struct RingTouch {
  std::uint32_t touch = 0;  ///< index into StreamWork::touches
  std::int64_t number = 0;  ///< of the fill
  task::Side side = task::Side::kConsumer;
};

/// What an instance's stream does on the pipeline: kAcquire, kCommit, kWait or kRelease.
struct RingStep {
  std::uint32_t instance = 0;
  task::OperationKind kind = task::OperationKind::kAcquire;
  std::int64_t number = 0;  ///< of the fill
  /// Of an acquire: behind the reads of its own instance, which gives the slot free itself.
  bool behind_reads = false;
};

/// A tensor whose fill k lies in stage k mod `stages`, as a pipeline.
struct Ring {
  TensorId tensor;
  std::int64_t stages = 1;
  std::int64_t first_block = 0;  ///< that lies in stage 0
  Bytes stride;                  ///< from a stage to the next one; 0 for one stage
  std::int64_t fills = 0;
  std::vector<std::uint32_t> producers;  ///< streams, ascending
  std::vector<std::uint32_t> consumers;  ///< streams, ascending
  std::vector<RingTouch> touches;
  std::vector<RingStep> steps;  ///< by instance
  /// Of each consumer, fills at the end of the kernel that it never reads; its stream takes and
  /// gives them back when it has done everything else.
  std::vector<std::int64_t> unread;
};

/// The first write of a fill acquires and its last write commits, for each stream that writes it;
/// the first read waits and the last read releases, for each stream that reads it once it is
/// written. What a stream reads before its last write of the same fill is work of the producer.
/// Errors: why it is no pipeline, with the tensor, the instruction and what was expected:
///   ring-initial      it holds data from the start
///   ring-one-stream   one place that one stream alone uses: the stream's order is enough
///   ring-unwritten    a read before anything was written
///   ring-once         each of its places is filled once: nothing rotates
///   ring-places       a fill isn't in its number's place; ring-stride: places not evenly upwards
///   ring-producers    fills by different streams, or two that write the same bytes of one
///   ring-consumers    fills read by different streams
///   ring-unread       a fill that nobody reads
///   ring-held         a stream goes back to a fill after it has opened the next one
///   ring-transfers    several transfers fill or read one fill: each completes on its own
///   ring-in-place     an asynchronous instruction would wait for itself
/// Source: ts_pipelines.md §7 (operations), §8 (slot of an access), §16.
Result<Ring> FindRing(const Kernel& kernel, const Placement& placement, const StreamWork& work,
                      const FillSequence& sequence);

/// Distinct places of the blocks that were filled.
std::int64_t PlacesOf(const Placement& placement, const FillSequence& sequence);

}  // namespace spillway::rings
