#include "model/hw/timing/instruction_parts.h"

#include <algorithm>

#include "model/hw/clock.h"
#include "model/hw/timing/engine_clock.h"

namespace spillway {
namespace {

constexpr Engine kComputeEngines[] = {Engine::kPe, Engine::kAct, Engine::kPool, Engine::kDve};

// PE multiplies and transposes, and nothing else does the former.
bool Runs(Engine engine, std::string_view op) {
  const bool product = op.starts_with("nc_matmul");
  return engine == Engine::kPe ? product || op == "nc_transpose" : !product;
}

bool Exists(const InstructionCostRow& row, Engine engine, const Target& target) {
  return !row.op.empty() && (!row.engine || *row.engine == engine) &&
         row.from_level <= target.architecture_level && Runs(engine, row.op);
}

}  // namespace

InstructionParts PartsOf(const InstructionShape& shape, const Target& target) {
  const InstructionCost cost = CostOf(shape, target);
  const std::int64_t hertz = HertzOf(target, shape.engine);
  const Picoseconds start = DurationOf(cost.read_init, hertz);
  const Picoseconds done = DurationOf(cost.read_init + cost.exec, hertz);
  return {start, done - start, cost.time.latency - done, cost.known ? cost.row : nullptr};
}

std::vector<PricedOperation> PricedOperations(const Target& target) {
  std::vector<PricedOperation> operations;
  for (const InstructionCostRow& row : InstructionCostRows()) {
    for (const Engine engine : kComputeEngines) {
      const PricedOperation operation{row.op, engine};
      if (Exists(row, engine, target) && std::ranges::count(operations, operation) == 0) {
        operations.push_back(operation);
      }
    }
  }
  return operations;
}

}  // namespace spillway
