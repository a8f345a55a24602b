#include "model/hw/timing/dma_cost.h"

#include <algorithm>
#include <limits>

#include "model/hw/error.h"

namespace spillway {

const std::vector<DescriptorPenalty>& DescriptorPenalties() {
  static const std::vector<DescriptorPenalty> rows = {
      {DescriptorKind::kContiguous, 1, 1, "isa_costs §3.4: payload rate", Confidence::kDocumented},
      {DescriptorKind::kStrided, 3, 2, "isa_costs §3.4: 1.2 to 1.5 times for strided elements",
       Confidence::kAssumed},
      {DescriptorKind::kTransposeFromDram, 10, 9, "isa_costs §3.1: up to 90% of the DMA rate",
       Confidence::kDocumented},
      {DescriptorKind::kTransposeOnChip, 2, 1, "isa_costs §3.1: 50% of the DMA rate",
       Confidence::kDocumented},
  };
  return rows;
}

Picoseconds DescriptorTime(const Target& target, Bytes bytes, DescriptorKind kind) {
  __extension__ using Wide = __int128;
  const DescriptorPenalty& penalty = DescriptorPenalties()[static_cast<std::size_t>(kind)];
  constexpr Wide kPicosecondsPerMicrosecond = 1'000'000;
  const Wide divisor = Wide{target.dma_bytes_per_microsecond.value} * penalty.denominator;
  const Wide payload =
      (Wide{bytes.value} * penalty.numerator * kPicosecondsPerMicrosecond + divisor - 1) / divisor;
  SPILLWAY_CHECK(payload < std::numeric_limits<std::int64_t>::max() / 2,
                 "a time fits into 64 bits");
  const Picoseconds whole =
      target.dma_descriptor_fixed + Picoseconds(static_cast<std::int64_t>(payload));
  return std::max({Picoseconds(1), target.dma_descriptor_floor.value, whole});
}

std::int64_t DescriptorsPerEngine(const Target& target) {
  const std::int64_t engines = target.dma_engines;
  return std::max<std::int64_t>(1, (target.sbuf_partitions.value.value + engines - 1) / engines);
}

}  // namespace spillway
