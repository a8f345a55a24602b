#include <algorithm>
#include <map>

#include "model/hw/systemc/measured_tables.h"
#include "model/hw/systemc/probe_machine.h"
#include "model/hw/timing/priced_operations.h"

namespace spillway {
namespace {

// Where the curves end; beyond, everything grows evenly. Source: isa_costs §1.2, §1.4: 64 Ki
// elements from SBUF, 8192 moving columns, 128 partitions and stationary columns; rows of a DMA
// between DRAM tensors are packets without a limit of their own.
constexpr std::int64_t kLastElements = 65536;
constexpr std::int64_t kLastBytes = 65536;
constexpr std::int64_t kLastMoving = 8192;
constexpr std::int64_t kLastStationary = 128;
constexpr std::int64_t kLastRows = 4096;

// An instruction with one input and one output that belongs to `variant`.
InstructionShape ShapeOfVariant(const PricedOperation& operation, int variant, PeSizes sizes) {
  const auto has = [&](int bit) { return (variant >> bit & 1) != 0; };
  InstructionShape shape{
      .op = operation.op, .engine = operation.engine, .inputs = {}, .outputs = {}};
  if (operation.engine == Engine::kPe) {
    const DType dtype = has(0) ? DType::kFloat32 : DType::kBfloat16;
    if (operation.op == "nc_transpose") {
      shape.inputs = {{"data", Space::kSbuf, dtype, sizes.outer, sizes.inner}};
    } else {
      shape.inputs = {{"stationary", Space::kSbuf, dtype, 128, sizes.outer},
                      {"moving", Space::kSbuf, dtype, 128, sizes.inner}};
      shape.inputs.back().wide_stride = has(4);
    }
    return shape;
  }
  OperandShape data{"data", has(0) ? Space::kPsum : Space::kSbuf};
  data.dtype = has(1) ? DType::kBfloat16 : DType::kFloat32;
  data.partitions = 128;
  data.elements = sizes.inner;
  data.contiguous = has(2);
  data.wide_stride = has(4);
  shape.inputs = {data};
  shape.outputs = {data};
  shape.writes_zero = has(3);
  return shape;
}

// What the cost table says at a few sizes on both sides of its bends: variants that agree here are
// measured once.
std::vector<std::int64_t> Signature(const PricedOperation& operation, int variant,
                                    const Target& target) {
  constexpr PeSizes kSizes[] = {{1, 1},    {128, 1},  {48, 48},  {1, 100},
                                {1, 1000}, {128, 16}, {1, 65536}};
  std::vector<std::int64_t> signature = {static_cast<std::int64_t>(operation.engine)};
  for (const PeSizes sizes : kSizes) {
    const InstructionCost cost = CyclesOf(ShapeOfVariant(operation, variant, sizes), target);
    for (const Cycles part : {cost.interval, cost.read_init, cost.exec, cost.write_drain})
      signature.push_back(part.value);
  }
  return signature;
}

}  // namespace

MeasuredTables MeasureTables(const Target& target) {
  MeasuredTables tables;
  const auto access = [&](Space space) {
    return LatencyCurve::Sample(
        kLastBytes, [&](std::int64_t bytes) { return ProbeAccess(space, Bytes(bytes), target); });
  };
  tables.sbuf = access(Space::kSbuf);
  tables.psum = access(Space::kPsum);
  for (int k = 0; k < kDescriptorKinds; ++k) {
    tables.dma[static_cast<std::size_t>(k)] =
        LatencyGrid::Sample(kLastRows, kLastBytes, [&](std::int64_t rows, std::int64_t bytes) {
          return ProbeDma(rows, Bytes(bytes), static_cast<DescriptorKind>(k), target);
        });
  }
  std::map<std::vector<std::int64_t>, std::uint16_t> measured;
  for (const PricedOperation& operation : PricedOperations(target)) {
    const bool on_pe = operation.engine == Engine::kPe;
    auto& of = tables.of.emplace_back();
    for (int variant = 0; variant < kInstructionVariants; ++variant) {
      const auto probe = [&](std::int64_t outer, std::int64_t inner) {
        return ProbeInstruction(ShapeOfVariant(operation, variant, {outer, inner}), target);
      };
      const std::size_t next = on_pe ? tables.products.size() : tables.instructions.size();
      const auto [found, is_new] = measured.try_emplace(Signature(operation, variant, target),
                                                        static_cast<std::uint16_t>(next));
      of[static_cast<std::size_t>(variant)] = found->second;
      if (!is_new) continue;
      if (on_pe) {
        tables.products.push_back(LatencyGrid::Sample(kLastStationary, kLastMoving, probe));
      } else {
        tables.instructions.push_back(LatencyCurve::Sample(
            kLastElements, [&](std::int64_t elements) { return probe(1, elements); }));
      }
    }
  }
  return tables;
}

}  // namespace spillway
