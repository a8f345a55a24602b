#include "model/hw/timing/instruction_cost.h"

#include <algorithm>

#include "model/hw/clock.h"
#include "model/hw/op_index.h"
#include "model/hw/timing/engine_clock.h"

namespace spillway {
namespace {

template <class Predicate>
bool All(const InstructionShape& shape, Predicate&& holds) {
  return std::all_of(shape.inputs.begin(), shape.inputs.end(), holds) &&
         std::all_of(shape.outputs.begin(), shape.outputs.end(), holds);
}

bool Applies(CostCondition condition, const InstructionShape& shape) {
  const auto in_psum = [](const OperandShape& o) { return o.space == Space::kPsum; };
  const auto not_in_psum = [&](const OperandShape& o) { return !in_psum(o); };
  const auto is_16 = [](const OperandShape& o) { return ElementSize(o.dtype) == Bytes(2); };
  const auto is_16_contiguous = [&](const OperandShape& o) { return is_16(o) && o.contiguous; };
  switch (condition) {
    case CostCondition::kAlways: return true;
    case CostCondition::kAnyPsum: return !All(shape, not_in_psum);
    case CostCondition::kPsum16: return !All(shape, not_in_psum) && All(shape, is_16_contiguous);
    case CostCondition::kSbuf16: return All(shape, not_in_psum) && All(shape, is_16);
    case CostCondition::kSbuf16Contiguous:
      return All(shape, not_in_psum) && All(shape, is_16_contiguous);
    case CostCondition::k16: return All(shape, is_16);
    case CostCondition::kZero16: return shape.writes_zero && All(shape, is_16);
  }
  return false;
}

// The rows that may apply to an operation, in the order of the table: an oracle's query must not
// walk through all of them.
class RowsByOperation {
 public:
  RowsByOperation() {
    for (const InstructionCostRow& row : InstructionCostRows()) {
      if (row.op.empty()) {
        any_.push_back(&row);
        continue;
      }
      const auto op = static_cast<std::size_t>(ops_.Add(row.op));
      if (op == of_.size()) of_.emplace_back();
      of_[op].push_back(&row);
    }
    // The rows for any operation stand at the end of the table.
    for (auto& rows : of_) rows.insert(rows.end(), any_.begin(), any_.end());
  }

  const std::vector<const InstructionCostRow*>& Of(std::string_view op) const {
    const int index = ops_.Find(op);
    return index == OpIndex::kUnknown ? any_ : of_[static_cast<std::size_t>(index)];
  }

 private:
  OpIndex ops_;
  std::vector<std::vector<const InstructionCostRow*>> of_;
  std::vector<const InstructionCostRow*> any_;
};

const InstructionCostRow& RowOf(const InstructionShape& shape, const Target& target) {
  static const RowsByOperation rows;
  const std::vector<const InstructionCostRow*>& candidates = rows.Of(shape.op);
  for (const InstructionCostRow* row : candidates) {
    if (row->engine && *row->engine != shape.engine) continue;
    if (row->from_level > target.architecture_level) continue;
    if (Applies(row->condition, shape)) return *row;
  }
  return *candidates.back();
}

std::int64_t ElementsOf(const InstructionShape& shape) {
  std::int64_t most = 1;
  for (const OperandShape& o : shape.inputs) most = std::max(most, o.elements);
  for (const OperandShape& o : shape.outputs) most = std::max(most, o.elements);
  return most;
}

const OperandShape* InputOf(const InstructionShape& shape, std::string_view name,
                            std::size_t position) {
  for (const OperandShape& o : shape.inputs) {
    if (o.name == name) return &o;
  }
  return position < shape.inputs.size() ? &shape.inputs[position] : nullptr;
}

std::int64_t Matmul(const InstructionShape& shape, const Target& target) {
  const std::int64_t min_interval = target.min_issue_interval.value.value;
  const OperandShape* stationary = InputOf(shape, "stationary", 0);
  const OperandShape* moving = InputOf(shape, "moving", 1);
  if (stationary == nullptr || moving == nullptr) return std::max(min_interval, ElementsOf(shape));
  const std::int64_t passes =
      std::max(std::min(min_interval, stationary->elements), moving->elements);
  return moving->dtype == DType::kFloat32 ? target.pe_float32_passes * passes : passes;
}

// Wide strides slow the accesses of the generations that have one port per engine.
// Source: isa_costs §2, concurrency of access, v2.
std::int64_t StrideFactor(const InstructionShape& shape, const Target& target) {
  const auto narrow = [](const OperandShape& o) { return !o.wide_stride; };
  return All(shape, narrow) ? 1 : target.wide_stride_factor.value;
}

// What the row says, in cycles of the engine.
std::int64_t ExecCycles(const InstructionCostRow& row, const InstructionShape& shape,
                        const Target& target) {
  const std::int64_t min_interval = target.min_issue_interval.value.value;
  const std::int64_t elements = ElementsOf(shape);
  std::int64_t cycles = 0;
  switch (row.formula) {
    case CostFormula::kPerElement:
      cycles = std::max(min_interval, (elements * row.numerator + row.denominator - 1) /
                                          row.denominator * StrideFactor(shape, target));
      break;
    case CostFormula::kMatmul: cycles = Matmul(shape, target) * StrideFactor(shape, target); break;
    case CostFormula::kPeTranspose: {
      const OperandShape* data = InputOf(shape, "data", 0);
      cycles = data == nullptr ? elements
                               : std::max(data->partitions, std::min(min_interval, data->elements));
      break;
    }
  }
  if (row.extra == CostExtra::kReadOut) cycles += min_interval;
  if (row.extra == CostExtra::kDynamicFloor) {
    cycles = std::max(cycles, target.dynamic_address_floor.value.value);
  }
  if (shape.engine != Engine::kPe) return cycles;
  constexpr std::int64_t kWhole = 100;
  return (cycles * kWhole + target.pe_rate_percent - 1) / target.pe_rate_percent;
}

}  // namespace

Confidence ConfidenceOf(const InstructionCostRow& row, const Target& target) {
  constexpr int kFirst = 20;  // NeuronCore-v2, for which the costs were published
  if (target.architecture_level < kFirst) return Confidence::kAssumed;
  const bool newer = target.architecture_level > kFirst && row.from_level <= kFirst;
  return newer ? std::max(row.confidence, Confidence::kDerived) : row.confidence;
}

bool IsPipelined(Engine engine) { return engine == Engine::kAct || engine == Engine::kDve; }

InstructionCost CyclesOf(const InstructionShape& shape, const Target& target) {
  const InstructionCostRow& row = RowOf(shape, target);
  InstructionCost cost;
  cost.row = &row;
  cost.known = !row.op.empty();
  cost.exec = Cycles(ExecCycles(row, shape, target));
  if (row.extra == CostExtra::kGpsimdStart) cost.read_init = target.gpsimd_start;
  cost.interval = cost.read_init + cost.exec;
  if (IsPipelined(shape.engine)) {
    cost.read_init += target.access_start;
    cost.write_drain = target.static_overhead;
  }
  return cost;
}

InstructionCost CostOf(const InstructionShape& shape, const Target& target) {
  InstructionCost cost = CyclesOf(shape, target);
  const std::int64_t hertz = HertzOf(target, shape.engine);
  cost.time.interval = std::max(Picoseconds(1), DurationOf(cost.interval, hertz));
  cost.time.latency = std::max(cost.time.interval, DurationOf(cost.total(), hertz));
  return cost;
}

}  // namespace spillway
