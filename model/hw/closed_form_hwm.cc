// The compiler's own latency formulas, as the spill cost uses them.
// Source: hwm_and_geometry §2: latency = readInit + exec + writeDrain, with writeDrain 0 here.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/hw/clock.h"
#include "model/hw/closed_form_rules.h"
#include "model/hw/dma_shape.h"
#include "model/hw/hwm.h"
#include "model/hw/op_index.h"
#include "model/hw/reference_latency.h"

namespace spillway {
namespace {

constexpr std::int64_t CeilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The model cycle is one nanosecond: the divisors are the engines' clocks in units of 10 MHz
// (140 elements per 100 cycles at 1.4 GHz), and DIV is the DMA engine's practical rate in bytes
// per nanosecond. Source: derived from hwm_and_geometry §2 and isa_costs §1.1, which agree on
// both generations that have divisors.
constexpr Picoseconds kModelCycle{1000};

// In model cycles.
struct Phases {
  std::int64_t read_init = 0;
  std::int64_t exec = 0;
};

std::int64_t MostElements(const InstructionShape& shape) {
  std::int64_t most = 1;
  for (const OperandShape& o : shape.inputs) most = std::max(most, o.elements);
  for (const OperandShape& o : shape.outputs) most = std::max(most, o.elements);
  return most;
}

bool AnyOfSize(const InstructionShape& shape, Bytes size) {
  const auto has = [&](const OperandShape& o) { return ElementSize(o.dtype) == size; };
  return std::any_of(shape.inputs.begin(), shape.inputs.end(), has) ||
         std::any_of(shape.outputs.begin(), shape.outputs.end(), has);
}

class ClosedFormHwm final : public Hwm {
 public:
  explicit ClosedFormHwm(const Target& target)
      : target_(target), name_(fmt::format("closed-form {}", target.name)) {
    for (const ClosedFormRule& rule : ClosedFormRules()) {
      const auto op = static_cast<std::size_t>(ops_.Add(rule.op));
      rules_.resize(std::max(rules_.size(), op + 1));
      for (int e = 0; e < kEngineCount; ++e) {
        rules_[op][static_cast<std::size_t>(e)] =
            ClosedFormRuleOf(rule.op, static_cast<Engine>(e), target);
      }
    }
  }

  std::string Name() const override { return name_; }

  Cycles Latency(Space space, AccessShape shape) const override {
    SPILLWAY_CHECK(shape.partitions.value >= 0 && shape.bytes_per_partition.value >= 0,
                   "an access has a size");
    const std::int64_t model_cycles = space == Space::kDram ? DmaCopy(shape) : EngineAccess(shape);
    return CyclesIn(kModelCycle * model_cycles, target_.reference_hertz);
  }

  Result<InstructionLatency> Latency(const InstructionShape& shape) const override {
    const int op = ops_.Find(shape.op);
    const ClosedFormRule* const rule =
        op == OpIndex::kUnknown
            ? nullptr
            : rules_[static_cast<std::size_t>(op)][static_cast<std::size_t>(shape.engine)];
    if (rule == nullptr) return Fail(UnpricedOpcode(*this, shape));
    if (shape.descriptors == DescriptorGeneration::kHardware &&
        target_.oracle_dge_hardware.value == Cycles(0)) {
      return Fail(NoDescriptorGenerator(*this, shape));
    }
    const Phases phases = PhasesOf(rule->formula, shape);
    return InReferenceCycles(kModelCycle * phases.read_init, kModelCycle * phases.exec,
                             Picoseconds(0), target_.reference_hertz);
  }

 private:
  // readInit + ceil(P / 16) * (sizeof(dtype) * NEP) / DIV: the general DMA copy. The sizes of its
  // elements aren't known here, so the variant for 1-byte elements (which differs only where P is
  // no multiple of 16) has no place. Source: hwm_and_geometry §2, "DMA copy, general".
  std::int64_t DmaCopy(AccessShape shape) const {
    const std::int64_t groups =
        CeilDivide(shape.partitions.value, target_.oracle_dma_partition_group.value.value);
    return target_.oracle_dma_read_init.value.value +
           CeilDivide(groups * shape.bytes_per_partition.value,
                      target_.oracle_dma_bytes_per_cycle.value.value);
  }

  // floor((NEP * mult + base) * 100 / f), mult 1, with the start of an access to SBUF or PSUM as
  // base: both memories have the same. Rounded up, since a latency of 0 would make spilling free.
  // Source: hwm_and_geometry §2, latency(base, mult); isa_costs §3.3, access start; §7.2, its sum.
  std::int64_t EngineAccess(AccessShape shape) const {
    const std::int64_t elements =
        CeilDivide(shape.bytes_per_partition.value, target_.oracle_element_bytes.value.value);
    return CeilDivide((elements + target_.access_start.value.value) * 100,
                      target_.oracle_elements_per_100_cycles.value);
  }

  Phases PhasesOf(ClosedFormFormula formula, const InstructionShape& shape) const {
    switch (formula) {
      case ClosedFormFormula::kGeneral: return General(shape);
      case ClosedFormFormula::kMatmul: return Matmul(shape);
      case ClosedFormFormula::kMemset: return Memset(shape);
      case ClosedFormFormula::kActivation: return Activation(shape);
      case ClosedFormFormula::kDma: return Dma(shape);
    }
    return {};
  }

  // elements * 100 / f of the engine, rounded down as the oracle does.
  std::int64_t ModelCycles(std::int64_t elements, Engine engine) const {
    const std::int64_t divisor = engine == Engine::kSp ? target_.oracle_sp_elements_per_100_cycles
                                                       : target_.oracle_elements_per_100_cycles;
    return elements * 100 / divisor;
  }

  // latency(base, mult), with what the base adds to the execution as readInit.
  Phases General(const InstructionShape& shape) const {
    const std::int64_t elements = MostElements(shape) * Mult(shape);
    const std::int64_t total =
        ModelCycles(elements + target_.access_start.value.value, shape.engine);
    const std::int64_t exec = ModelCycles(elements, shape.engine);
    return {total - exec, exec};
  }

  // 1, 2 or 3: the full-size inputs of the engines' own width, each of which takes a pass of its
  // own. Source: derived: hwm_and_geometry §2 says "by data type"; the published costs of one and
  // two inputs are N, and 2 N unless they are narrower (isa_costs §3.1).
  std::int64_t Mult(const InstructionShape& shape) const {
    const std::int64_t elements = MostElements(shape);
    const auto wide =
        std::count_if(shape.inputs.begin(), shape.inputs.end(), [&](const OperandShape& o) {
          return o.elements == elements && ElementSize(o.dtype) >= target_.oracle_element_bytes;
        });
    return std::clamp<std::int64_t>(wide, 1, 3);
  }

  Phases Matmul(const InstructionShape& shape) const {
    std::int64_t contraction = 1;
    for (const OperandShape& o : shape.inputs) contraction = std::max(contraction, o.partitions);
    const std::int64_t steps = contraction / target_.oracle_matmul_rows_per_element;
    const std::int64_t total = ModelCycles(steps + target_.oracle_matmul_base, shape.engine);
    const std::int64_t exec = ModelCycles(steps, shape.engine);
    return {total - exec, exec};
  }

  // On SP's divisor whoever clears: it is the only formula for it.
  Phases Memset(const InstructionShape& shape) const {
    const std::int64_t elements = MostElements(shape);
    const std::int64_t total = ModelCycles(elements + target_.oracle_memset_base, Engine::kSp);
    const std::int64_t exec = ModelCycles(elements, Engine::kSp);
    return {total - exec, exec};
  }

  Phases Activation(const InstructionShape& shape) const {
    const std::int64_t init = AnyOfSize(shape, Bytes(2))   ? target_.oracle_activation_init_16
                              : AnyOfSize(shape, Bytes(4)) ? target_.oracle_activation_init_32
                                                           : target_.oracle_activation_init_other;
    return {ModelCycles(init, shape.engine), ModelCycles(MostElements(shape), shape.engine)};
  }

  Phases Dma(const InstructionShape& shape) const {
    const std::array<std::int64_t, 3> generation = {0, target_.oracle_dge_software.value.value,
                                                    target_.oracle_dge_hardware.value.value};
    const std::int64_t init = target_.oracle_dma_read_init.value.value +
                              generation[static_cast<std::size_t>(shape.descriptors)];
    const DmaShape dma = DmaShapeOf(shape);
    if (dma.element_bytes == Bytes(1)) {
      return {init, dma.row_bytes().value * dma.rows /
                        target_.oracle_dma_byte_elements_per_cycle.value.value};
    }
    const std::int64_t groups =
        CeilDivide(dma.rows, target_.oracle_dma_partition_group.value.value);
    return {init, groups * dma.row_bytes().value / target_.oracle_dma_bytes_per_cycle.value.value};
  }

  Target target_;
  std::string name_;
  OpIndex ops_;
  std::vector<std::array<const ClosedFormRule*, kEngineCount>> rules_;  ///< by operation
};

}  // namespace

std::unique_ptr<Hwm> MakeClosedFormHwm(const Target& target) {
  return std::make_unique<ClosedFormHwm>(target);
}

}  // namespace spillway
