#include "model/hw/timing/calibrated_hwm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/hw/clock.h"
#include "model/hw/op_index.h"
#include "model/hw/reference_latency.h"
#include "model/hw/timing/dma_transfer.h"
#include "model/hw/timing/engine_clock.h"
#include "model/hw/timing/instruction_cost.h"
#include "model/hw/timing/priced_operations.h"

namespace spillway {
namespace {

class CalibratedHwm final : public Hwm {
 public:
  explicit CalibratedHwm(const Target& target)
      : target_(target), name_(fmt::format("calibrated {}", target.name)) {
    for (const PricedOperation& operation : PricedOperations(target)) {
      const auto op = static_cast<std::size_t>(ops_.Add(operation.op));
      prices_.resize(std::max(prices_.size(), op + 1));
      prices_[op][static_cast<std::size_t>(operation.engine)] = true;
    }
  }

  std::string Name() const override { return name_; }

  Cycles Latency(Space space, AccessShape shape) const override {
    SPILLWAY_CHECK(shape.partitions.value >= 0 && shape.bytes_per_partition.value >= 0,
                   "an access has a size");
    if (space == Space::kDram) {
      const Transfer transfer = MakeTransfer(
          target_, shape.partitions.value, shape.bytes_per_partition, DescriptorKind::kContiguous);
      return ReferenceCycles(target_.dma_start_latency.value + TransferTime(transfer),
                             target_.reference_hertz);
    }
    const std::int64_t element = target_.oracle_element_bytes.value.value;
    const Cycles elements((shape.bytes_per_partition.value + element - 1) / element);
    return ReferenceCycles(DurationOf(target_.access_start.value +
                                          std::max(elements, target_.min_issue_interval.value),
                                      target_.dve_hertz),
                           target_.reference_hertz);
  }

  Result<InstructionLatency> Latency(const InstructionShape& shape) const override {
    if (shape.engine == Engine::kDma) return DmaLatency(shape);
    const int op = ops_.Find(shape.op);
    if (op == OpIndex::kUnknown ||
        !prices_[static_cast<std::size_t>(op)][static_cast<std::size_t>(shape.engine)]) {
      return Fail(UnpricedOpcode(*this, shape));
    }
    const InstructionCost cost = CyclesOf(shape, target_);
    const std::int64_t hertz = HertzOf(target_, shape.engine);
    const Cycles first = InReference(cost.read_init, hertz);
    const Cycles done = InReference(cost.read_init + cost.exec, hertz);
    return InstructionLatency{first, done - first, InReference(cost.total(), hertz) - done};
  }

 private:
  // Cycles of a clock of `hertz`, in whole cycles of the reference clock.
  Cycles InReference(Cycles cycles, std::int64_t hertz) const {
    const std::int64_t reference = target_.reference_hertz;
    if (hertz == reference) return cycles;
    constexpr std::int64_t kHertzPerKilohertz = 1000;
    const std::int64_t kilohertz = hertz / kHertzPerKilohertz;
    return Cycles((cycles.value * (reference / kHertzPerKilohertz) + kilohertz - 1) / kilohertz);
  }

  // Descriptors that the hardware makes are ready when the transfer starts: their generator limits
  // how fast transfers follow each other, not how long one takes. Source: isa_costs §3.4.
  Result<InstructionLatency> DmaLatency(const InstructionShape& shape) const {
    if (!IsDmaOperation(shape.op)) return Fail(UnpricedOpcode(*this, shape));
    if (shape.descriptors == DescriptorGeneration::kHardware &&
        target_.oracle_dge_hardware.value == Cycles(0)) {
      return Fail(NoDescriptorGenerator(*this, shape));
    }
    return InReferenceCycles(target_.dma_start_latency.value,
                             TransferTime(MakeTransfer(target_, DmaShapeOf(shape))), Picoseconds(0),
                             target_.reference_hertz);
  }

  Target target_;
  std::string name_;
  OpIndex ops_;
  std::vector<std::array<bool, kEngineCount>> prices_;  ///< by operation
};

}  // namespace

std::unique_ptr<Hwm> MakeCalibratedHwm(const Target& target) {
  return std::make_unique<CalibratedHwm>(target);
}

}  // namespace spillway
