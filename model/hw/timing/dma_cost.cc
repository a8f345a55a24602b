#include "model/hw/timing/dma_cost.h"

#include <algorithm>
#include <limits>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

constexpr std::int64_t kWhole = 1000;

// Fixed part and payload, without a floor.
Picoseconds Payload(const Target& target, Bytes bytes, DescriptorKind kind) {
  __extension__ using Wide = __int128;
  constexpr Wide kPicosecondsPerMicrosecond = 1'000'000;
  const Wide divisor = Wide{target.dma_bytes_per_microsecond.value} * kWhole;
  const Wide payload =
      (Wide{bytes.value} * PayloadPerMille(target, kind) * kPicosecondsPerMicrosecond + divisor -
       1) /
      divisor;
  SPILLWAY_CHECK(payload < std::numeric_limits<std::int64_t>::max() / 2,
                 "a time fits into 64 bits");
  // D7.0 drops the size, D7.1 rounds down.
  const Wide counted = SPILLWAY_FAULT(D7, payload, fault::variant == 1 ? payload - 1 : Wide{0});
  return target.dma_descriptor_fixed + Picoseconds(static_cast<std::int64_t>(counted));
}

}  // namespace

std::int64_t PayloadPerMille(const Target& target, DescriptorKind kind) {
  switch (kind) {
    case DescriptorKind::kContiguous: break;
    case DescriptorKind::kStrided: return target.dma_strided_per_mille;
    case DescriptorKind::kTransposeFromDram: return target.dma_transpose_dram_per_mille;
    case DescriptorKind::kTransposeOnChip: return target.dma_transpose_chip_per_mille;
  }
  return kWhole;
}

Picoseconds DescriptorTime(const Target& target, Bytes bytes, DescriptorKind kind) {
  return std::max(
      {Picoseconds(1), target.dma_descriptor_floor.value, Payload(target, bytes, kind)});
}

Picoseconds DescriptorEngineTime(const Target& target, Bytes bytes, DescriptorKind kind) {
  const Picoseconds floor = std::max(target.dma_engine_floor.value, Payload(target, bytes, kind));
  return std::min(floor, DescriptorTime(target, bytes, kind));
}

std::int64_t DescriptorsPerEngine(const Target& target) {
  const std::int64_t engines = target.dma_engines;
  return std::max<std::int64_t>(1, (target.sbuf_partitions.value.value + engines - 1) / engines);
}

}  // namespace spillway
