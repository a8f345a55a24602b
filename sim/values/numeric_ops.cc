#include "sim/values/numeric_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/hw/error.h"
#include "sim/values/op_table.h"

namespace spillway {
namespace {

const NumericOp* FindOp(std::string_view name) {
  static const std::vector<const NumericOp*> sorted = [] {
    std::vector<const NumericOp*> ops;
    for (const auto table :
         {ElementwiseOps(), ReductionOps(), MovementOps(), MatrixOps(), IndexOps()}) {
      for (const NumericOp& op : table) ops.push_back(&op);
    }
    std::sort(ops.begin(), ops.end(),
              [](const NumericOp* a, const NumericOp* b) { return a->name < b->name; });
    return ops;
  }();
  const auto found =
      std::lower_bound(sorted.begin(), sorted.end(), name,
                       [](const NumericOp* op, std::string_view n) { return op->name < n; });
  return found != sorted.end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace

std::optional<std::string> WhyOpaque(const Kernel& kernel, const Instruction& instruction) {
  if (instruction.spill != SpillRole::kNone) return std::nullopt;  // an exact copy in every mode
  const NumericOp* op = FindOp(instruction.op);
  if (op == nullptr) return fmt::format("operation \"{}\" isn't known", instruction.op);
  if (Reason reason = OutsideSignature(op->signature, instruction)) return reason;
  return op->check(kernel, instruction);
}

InstructionResult NumericResult(const OpContext& context) {
  const NumericOp* op = FindOp(context.instruction.op);
  SPILLWAY_CHECK(op != nullptr, "an opaque operation has no numeric result");
  return op->compute(context);
}

}  // namespace spillway
