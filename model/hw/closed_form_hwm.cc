// The compiler's own latency formulas, as the spill cost uses them.
// Source: hwm_and_geometry §2: latency = readInit + exec + writeDrain, with writeDrain 0 here.
#include <fmt/format.h>

#include "model/hw/clock.h"
#include "model/hw/hwm.h"

namespace spillway {
namespace {

constexpr std::int64_t CeilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The model cycle is one nanosecond: the divisors are the engines' clocks in units of 10 MHz
// (140 elements per 100 cycles at 1.4 GHz), and DIV is the DMA engine's practical rate in bytes
// per nanosecond. Source: derived from hwm_and_geometry §2 and isa_costs §1.1, which agree on
// both generations that have divisors.
constexpr Picoseconds kModelCycle{1000};

class ClosedFormHwm final : public Hwm {
 public:
  explicit ClosedFormHwm(const Target& target)
      : name_(fmt::format("closed-form {}", target.name)),
        reference_hertz_(target.reference_hertz),
        divisor_(target.oracle_elements_per_100_cycles),
        element_bytes_(target.oracle_element_bytes),
        access_start_(target.access_start),
        dma_read_init_(target.oracle_dma_read_init),
        dma_bytes_per_cycle_(target.oracle_dma_bytes_per_cycle),
        dma_group_(target.oracle_dma_partition_group) {}

  std::string Name() const override { return name_; }

  Cycles Latency(Space space, AccessShape shape) const override {
    SPILLWAY_CHECK(shape.partitions.value >= 0 && shape.bytes_per_partition.value >= 0,
                   "an access has a size");
    const std::int64_t model_cycles = space == Space::kDram ? DmaCopy(shape) : EngineAccess(shape);
    return CyclesIn(kModelCycle * model_cycles, reference_hertz_);
  }

  Result<InstructionLatency> Latency(const InstructionShape& shape) const override {
    return Fail(
        {Kind::kUnknownName, "unpriced-opcode",
         fmt::format("{} doesn't price {} on {}", name_, shape.op, EngineName(shape.engine)), "",
         0});
  }

 private:
  // readInit + ceil(P / 16) * (sizeof(dtype) * NEP) / DIV: the general DMA copy. The sizes of its
  // elements aren't known here, so the variant for 1-byte elements (which differs only where P is
  // no multiple of 16) has no place. Source: hwm_and_geometry §2, "DMA copy, general".
  std::int64_t DmaCopy(AccessShape shape) const {
    const std::int64_t groups = CeilDivide(shape.partitions.value, dma_group_.value);
    return dma_read_init_.value +
           CeilDivide(groups * shape.bytes_per_partition.value, dma_bytes_per_cycle_.value);
  }

  // floor((NEP * mult + base) * 100 / f), mult 1, with the start of an access to SBUF or PSUM as
  // base: both memories have the same. Rounded up, since a latency of 0 would make spilling free.
  // Source: hwm_and_geometry §2, latency(base, mult); isa_costs §3.3, access start; §7.2, its sum.
  std::int64_t EngineAccess(AccessShape shape) const {
    const std::int64_t elements = CeilDivide(shape.bytes_per_partition.value, element_bytes_.value);
    return CeilDivide((elements + access_start_.value) * 100, divisor_);
  }

  std::string name_;
  std::int64_t reference_hertz_;
  std::int64_t divisor_;
  Bytes element_bytes_;
  Cycles access_start_;
  Cycles dma_read_init_;
  Bytes dma_bytes_per_cycle_;
  PartitionCount dma_group_;
};

}  // namespace

std::unique_ptr<Hwm> MakeClosedFormHwm(const Target& target) {
  return std::make_unique<ClosedFormHwm>(target);
}

}  // namespace spillway
