// Which stream plays which instance.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"
#include "sim/lower/unroll.h"

namespace spillway {

/// What a DMA instruction is for; each kind that occurs has queues of its own, so that a store that
/// waits for compute never stops a load behind it.
enum class DmaKind { kLoad, kStore, kReload, kSave };
inline constexpr int kDmaKindCount = 4;
/// By the instruction's spill role, else by whether it writes DRAM.
DmaKind DmaKindOf(const Kernel& kernel, const Instruction& instruction);
DmaRole RoleOf(DmaKind kind);

/// A stream per instance: the engine's for compute; for DMA the queues of its kind in turn, in
/// program order. With fewer queues than kinds, kinds share queues.
/// `target.dma_queues` must be from 1 to kMaxDmaQueues.
std::vector<StreamId> AssignStreams(const Kernel& kernel, const InstanceSequence& sequence,
                                    const Target& target);

}  // namespace spillway
