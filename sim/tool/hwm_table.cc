#include "sim/tool/hwm_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/alloc/ir/kernel.h"
#include "model/hw/closed_form_rules.h"
#include "model/hw/systemc/measured_tables.h"
#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/priced_operations.h"

namespace spillway {
namespace {

constexpr double kMuch = 0.25;
constexpr std::size_t kClosedForm = 0;
constexpr std::size_t kCalibrated = 1;
constexpr std::size_t kMeasured = 2;

using Rules = std::array<PriceRule, kOracleNames.size()>;

Confidence Weakest(std::initializer_list<Confidence> confidences) { return std::max(confidences); }

// What the measured oracle follows: the machine plays the calibrated rows, and the dependent that
// shows the end waits for a semaphore.
PriceRule MachineRule(const PriceRule& played, bool semaphore, const Target& target) {
  if (!semaphore) return {"machine, " + played.source, played.confidence};
  return {"machine, " + played.source + ", semaphore",
          Weakest({played.confidence, target.semaphore_latency.confidence})};
}

// What sets how long the payload of a kind takes.
PriceRule PayloadRule(const Target& target, DescriptorKind kind) {
  const auto rule = [](const Sourced<std::int64_t>& row) -> PriceRule {
    return {row.source, row.confidence};
  };
  switch (kind) {
    case DescriptorKind::kContiguous: break;
    case DescriptorKind::kStrided: return rule(target.dma_strided_per_mille);
    case DescriptorKind::kTransposeFromDram: return rule(target.dma_transpose_dram_per_mille);
    case DescriptorKind::kTransposeOnChip: return rule(target.dma_transpose_chip_per_mille);
  }
  return rule(target.dma_bytes_per_microsecond);
}

Rules DmaRules(const Target& target, DescriptorKind kind) {
  const auto [source, confidence] = PayloadRule(target, kind);
  const PriceRule calibrated{fmt::format("start and descriptors, {}", source),
                             Weakest({confidence, target.dma_start_latency.confidence,
                                      target.dma_descriptor_floor.confidence,
                                      target.dma_bytes_per_microsecond.confidence})};
  const PriceRule closed{
      fmt::format("{}, hwm_and_geometry §2", FormulaText(ClosedFormFormula::kDma)),
      Weakest(
          {target.oracle_dma_read_init.confidence, target.oracle_dma_bytes_per_cycle.confidence})};
  return {closed, calibrated, MachineRule(calibrated, true, target)};
}

Rules AccessRules(const Target& target, Space space) {
  if (space == Space::kDram) return DmaRules(target, DescriptorKind::kContiguous);
  const PriceRule closed{
      fmt::format("{}, hwm_and_geometry §2", FormulaText(ClosedFormFormula::kGeneral)),
      Weakest({Confidence::kDerived, target.oracle_elements_per_100_cycles.confidence,
               target.access_start.confidence})};
  const PriceRule calibrated{"start + an element a cycle of Vector, isa_costs §7.2",
                             Weakest({Confidence::kDerived, target.access_start.confidence})};
  const PriceRule copy{"tensor_copy of float32 on Vector",
                       Weakest({Confidence::kDerived, target.access_start.confidence})};
  return {closed, calibrated, MachineRule(copy, false, target)};
}

Rules InstructionRules(const Target& target, const InstructionShape& shape) {
  Rules rules;
  if (const ClosedFormRule* rule = ClosedFormRuleOf(shape.op, shape.engine, target)) {
    rules[kClosedForm] = {
        fmt::format("{}, {}", FormulaText(rule->formula), rule->source),
        Weakest({rule->confidence, target.oracle_elements_per_100_cycles.confidence})};
  }
  if (const InstructionCost cost = CyclesOf(shape, target); cost.known) {
    rules[kCalibrated] = {std::string(cost.row->source),
                          Weakest({cost.row->confidence, target.min_issue_interval.confidence})};
    rules[kMeasured] = MachineRule(rules[kCalibrated], true, target);
  }
  return rules;
}

// Asks all oracles of one target.
class Table {
 public:
  explicit Table(const Target& target) : target_(target) {}

  Result<void> Make() {
    for (std::size_t i = 0; i < kOracleNames.size(); ++i) {
      Result<std::unique_ptr<Hwm>> oracle = MakeOracle(kOracleNames[i], target_);
      if (!oracle) return Fail(oracle.error());
      oracles_[i] = std::move(*oracle);
    }
    return {};
  }

  void AddAccess(Space space, std::int64_t bytes) {
    HwmProbe probe{.kind = "access", .name = std::string(SpaceName(space)), .size = bytes};
    const Rules rules = AccessRules(target_, space);
    for (std::size_t i = 0; i < oracles_.size(); ++i) {
      probe.prices[i] = {
          oracles_[i]->Latency(space, {PartitionCount(probe.partitions), Bytes(bytes)}), rules[i]};
    }
    probes_.push_back(std::move(probe));
  }

  void AddDma(DescriptorKind kind, std::int64_t rows, std::int64_t bytes) {
    const bool transpose = kind >= DescriptorKind::kTransposeFromDram;
    const bool on_chip = kind == DescriptorKind::kTransposeOnChip;
    OperandShape tile{.name = "dst", .dtype = DType::kBfloat16, .partitions = rows};
    tile.elements = bytes / ElementSize(tile.dtype).value;
    OperandShape source = tile;
    source.name = "src";
    source.space = on_chip ? Space::kSbuf : Space::kDram;
    source.contiguous = kind != DescriptorKind::kStrided;
    InstructionShape shape{.op = transpose ? "dma_transpose" : "dma_copy",
                           .engine = Engine::kDma,
                           .inputs = {source},
                           .outputs = {tile}};
    constexpr std::string_view kSuffixes[] = {"", " strided", " from dram", " on chip"};
    HwmProbe probe{.kind = "dma",
                   .name = fmt::format("{}{}", shape.op, kSuffixes[static_cast<int>(kind)]),
                   .dtype = std::string(DTypeName(tile.dtype)),
                   .partitions = rows,
                   .size = bytes};
    Ask(shape, DmaRules(target_, kind), std::move(probe));
  }

  void AddInstruction(const InstructionShape& shape, std::int64_t elements) {
    const DType dtype = shape.inputs.empty() ? shape.outputs[0].dtype : shape.inputs[0].dtype;
    HwmProbe probe{.kind = "instruction",
                   .name = std::string(shape.op),
                   .engine = std::string(EngineName(shape.engine)),
                   .dtype = std::string(DTypeName(dtype)),
                   .size = elements};
    Ask(shape, InstructionRules(target_, shape), std::move(probe));
  }

  std::vector<HwmProbe> Take() { return std::move(probes_); }

 private:
  void Ask(const InstructionShape& shape, const Rules& rules, HwmProbe probe) {
    for (std::size_t i = 0; i < oracles_.size(); ++i) {
      if (const auto latency = oracles_[i]->Latency(shape))
        probe.prices[i] = {latency->total(), rules[i]};
    }
    probes_.push_back(std::move(probe));
  }

  const Target& target_;
  std::array<std::unique_ptr<Hwm>, kOracleNames.size()> oracles_;
  std::vector<HwmProbe> probes_;
};

// Operations of two tensors; the rest has one, or none.
bool TakesTwo(std::string_view op) {
  constexpr std::string_view kTwo[] = {"tensor_tensor", "tensor_tensor_scan",
                                       "scalar_tensor_tensor", "select_reduce",
                                       "tensor_copy_predicated"};
  return std::ranges::count(kTwo, op) > 0;
}
bool TakesNone(std::string_view op) { return op == "memset" || op == "iota"; }

InstructionShape TypicalShape(const PricedOperation& operation, DType dtype,
                              std::int64_t elements) {
  OperandShape data{.name = "data", .dtype = dtype, .partitions = 128, .elements = elements};
  InstructionShape shape{
      .op = operation.op, .engine = operation.engine, .inputs = {data}, .outputs = {data}};
  if (operation.engine == Engine::kPe) {
    shape.outputs[0].space = Space::kPsum;
    shape.outputs[0].dtype = DType::kFloat32;
    if (operation.op == "nc_transpose") return shape;
    OperandShape stationary = data;
    stationary.name = "stationary";
    stationary.elements = 128;
    shape.inputs[0].name = "moving";
    shape.inputs.insert(shape.inputs.begin(), stationary);
  } else if (TakesNone(operation.op)) {
    shape.inputs.clear();
  } else if (TakesTwo(operation.op)) {
    shape.inputs.push_back(data);
  }
  return shape;
}

// An operation on the engine that it runs on by itself, and on those that have a row of their own.
bool IsUsual(const PricedOperation& operation) {
  bool only_gpsimd = true;
  for (const InstructionCostRow& row : InstructionCostRows()) {
    if (row.op != operation.op) continue;
    if (row.engine == operation.engine) return true;
    only_gpsimd = only_gpsimd && row.extra == CostExtra::kGpsimdStart;
  }
  if (only_gpsimd) return operation.engine == Engine::kPool;
  Instruction plain;
  plain.op = operation.op;
  return operation.engine == EngineOf(Kernel{}, plain) ||
         (operation.engine == Engine::kPe && operation.op == "nc_matmul_mx");
}

void AddInstructions(const Target& target, const PricedOperation& operation, Table& table) {
  const bool transpose = operation.op == "nc_transpose";
  const bool on_pe = operation.engine == Engine::kPe;
  const auto add = [&](DType dtype, std::int64_t elements) {
    table.AddInstruction(TypicalShape(operation, dtype, elements), elements);
  };
  const auto exec = [&](DType dtype) {
    return CyclesOf(TypicalShape(operation, dtype, 512), target).exec;
  };
  add(DType::kFloat32, 64);
  add(DType::kFloat32, transpose ? 128 : 512);
  if (!on_pe) add(DType::kFloat32, 4096);
  if (exec(DType::kBfloat16) != exec(DType::kFloat32)) add(DType::kBfloat16, 512);
}

}  // namespace

std::optional<double> HwmProbe::Difference() const {
  std::optional<std::int64_t> least;
  std::int64_t most = 0;
  int priced = 0;
  for (const OraclePrice& price : prices) {
    if (!price.cycles) continue;
    ++priced;
    least = std::min(least.value_or(price.cycles->value), price.cycles->value);
    most = std::max(most, price.cycles->value);
  }
  if (priced < 2) return std::nullopt;
  return static_cast<double>(most - *least) / static_cast<double>(*least);
}

bool HwmProbe::Differs() const { return Difference().value_or(0) > kMuch; }

Result<std::vector<HwmProbe>> HwmTable(const Target& target) {
  Table table(target);
  if (const Result<void> made = table.Make(); !made) return Fail(made.error());
  for (const Space space : {Space::kDram, Space::kSbuf, Space::kPsum}) {
    for (const std::int64_t bytes : {32, 256, 2048, 16384}) table.AddAccess(space, bytes);
  }
  constexpr std::int64_t kTile = 2048;
  for (int k = 0; k < kDescriptorKinds; ++k) {
    const auto kind = static_cast<DescriptorKind>(k);
    for (const std::int64_t rows : {1, 8, 32}) table.AddDma(kind, rows, kTile);
    for (const std::int64_t bytes : {32, 256, 2048, 8192, 32768}) table.AddDma(kind, 128, bytes);
  }
  for (const PricedOperation& operation : PricedOperations(target)) {
    if (IsUsual(operation)) AddInstructions(target, operation, table);
  }
  return table.Take();
}

}  // namespace spillway
