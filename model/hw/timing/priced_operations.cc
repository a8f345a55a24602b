#include "model/hw/timing/priced_operations.h"

#include <algorithm>

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
