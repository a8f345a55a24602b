// From coloured nodes to addresses, and the figures of a finished allocation.
#pragma once

#include "model/alloc/sbuf/allocate_sbuf.h"
#include "model/alloc/sbuf/insert_spill_code.h"
#include "model/alloc/sbuf/interference.h"
#include "model/alloc/sbuf/select.h"

namespace spillway {

/// Addresses of every block of every coloured tensor, in bytes. Blocks that are never live together
/// share one.
Placement CommitPlacement(const Kernel& kernel, const Nodes& nodes,
                          const IdVector<TensorId, std::optional<LiveRange>>& ranges,
                          const Selection& selection, Bytes granule);

/// What the saves and reloads of `linear` cost by the oracle, as often as their loops run.
double PredictSpillCycles(const LinearKernel& linear, const Hwm& hwm);

/// Fills in what only the finished function tells: saves, reloads, predicted cycles, high water.
SbufStats FinishStats(SbufStats stats, const LinearKernel& linear, const Nodes& nodes,
                      const Placement& placement, const Hwm& hwm, Bytes granule, Bytes capacity);

/// Notes what is spilled for the first time; copies of earlier rounds, which have homes, were then.
void NoteSpills(const Kernel& kernel, const std::vector<TensorId>& spilled, const Homes& homes,
                const IdVector<TensorId, SpillCost>& costs, SbufStats& stats);

}  // namespace spillway
