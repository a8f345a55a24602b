// How long the steps of a replay take.
#pragma once

#include "model/alloc/task/program.h"
#include "model/hw/target.h"

namespace spillway::task {

/// What a step takes who executes it, and then who works for him.
struct PlayedLatency {
  Picoseconds busy;     ///< of the task: an issue, a barrier operation, or a synchronous access
  Picoseconds latency;  ///< of the transfer or the matrix work; 0 for others
  Bytes bytes;          ///< that a transfer moves: the larger of what it reads and writes
};

/// Latency of `step` by the rates of `target`: Vector's for synchronous accesses, the PE array's
/// for matrix work, the DMA engines' for transfers, Sync's for barrier operations.
///
/// No rates of SMEM and TMEM are published in this form, so a NeuronCore's stand in for them: the
/// bytes of SMEM count as spread over all partitions of SBUF, a column of TMEM as an element of
/// each lane. Verdicts don't depend on any latency.
/// Sizes beyond any memory saturate: what they take is more than a replay may (kMaxReplayTime).
/// Source: isa_costs §3.1 to §3.4, rows of the target; derived: `use` writes and reads back.
PlayedLatency LatencyOf(const Program& program, const Step& step, const Target& target);

}  // namespace spillway::task
