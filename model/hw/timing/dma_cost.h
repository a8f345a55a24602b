// What one descriptor costs a DMA engine.
#pragma once

#include <string_view>
#include <vector>

#include "model/hw/target.h"
#include "model/hw/units.h"

namespace spillway {

/// Bytes of one descriptor where no partition rows divide the transfer.
/// Source: isa_costs §2, DMA descriptor facts: default packetisation.
inline constexpr Bytes kDmaPacket(4096);

/// How a descriptor's bytes lie on the side where they lie worse.
enum class DescriptorKind {
  kContiguous,
  kStrided,            ///< more than one run of bytes
  kTransposeFromDram,  ///< dma_transpose with a DRAM operand
  kTransposeOnChip,    ///< dma_transpose from SBUF to SBUF
};

/// Factor on the payload time of a kind, as a fraction, with its source.
struct DescriptorPenalty {
  DescriptorKind kind;
  std::int64_t numerator;
  std::int64_t denominator;
  std::string_view source;
  Confidence confidence;
};
const std::vector<DescriptorPenalty>& DescriptorPenalties();

/// max(floor, fixed + bytes x penalty / rate), at least 1 ps, rounded up.
/// Source: isa_costs §3.4, rows of the target.
Picoseconds DescriptorTime(const Target& target, Bytes bytes, DescriptorKind kind);

/// Descriptors of one transfer that one DMA engine serves: a full-height copy of 128 partitions
/// is dealt to 16 engines, 8 rows each; a narrow one uses fewer engines. Source: isa_costs §3.4.
std::int64_t DescriptorsPerEngine(const Target& target);

}  // namespace spillway
