// What one descriptor costs a DMA engine.
#pragma once

#include "model/hw/target.h"
#include "model/hw/units.h"

namespace spillway {

/// How a descriptor's bytes lie on the side where they lie worse.
enum class DescriptorKind {
  kContiguous,
  kStrided,            ///< more than one run of bytes
  kTransposeFromDram,  ///< dma_transpose with a DRAM operand
  kTransposeOnChip,    ///< dma_transpose from SBUF to SBUF
};

/// Payload time of a kind of descriptor, per mille of a contiguous one's: a row of the target.
std::int64_t PayloadPerMille(const Target& target, DescriptorKind kind);

/// What a descriptor takes its queue on one engine: max(floor, fixed + bytes x penalty / rate),
/// at least 1 ps, rounded up.
/// Source: isa_costs §3.4, rows of the target.
Picoseconds DescriptorTime(const Target& target, Bytes bytes, DescriptorKind kind);

/// What it takes the engine, which serves other queues meanwhile: the same with the engine's floor,
/// and never more. Source: isa_costs §3.4, copies faster than the curve with many queues in flight.
Picoseconds DescriptorEngineTime(const Target& target, Bytes bytes, DescriptorKind kind);

/// Descriptors of one transfer that one DMA engine serves: a full-height copy of 128 partitions
/// is dealt to 16 engines, 8 rows each; a narrow one uses fewer engines. Source: isa_costs §3.4.
std::int64_t DescriptorsPerEngine(const Target& target);

}  // namespace spillway
