// What an instruction costs its engine.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/hw/instruction_shape.h"
#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/units.h"

namespace spillway {

/// Where a row of the table applies; the first row that does gives the cost.
enum class CostCondition {
  kAlways,
  kAnyPsum,           ///< an operand lies in PSUM
  kPsum16,            ///< an operand lies in PSUM; all 16 bits wide and contiguous
  kSbuf16,            ///< all operands in SBUF, 16 bits wide
  kSbuf16Contiguous,  ///< that, and contiguous
  k16,                ///< all operands 16 bits wide
  kZero16,            ///< writes zero to 16-bit elements
};

enum class CostFormula {
  kPerElement,   ///< max(MIN_II, N x numerator / denominator), N elements per partition
  kMatmul,       ///< max(min(MIN_II, N_stationary), N_moving); four times for float32
  kPeTranspose,  ///< max(P, min(MIN_II, F)) of the input
};

/// What comes on top of the formula.
enum class CostExtra {
  kNone,
  kReadOut,       ///< an accumulator is read out: MIN_II once more
  kGpsimdStart,   ///< the target's start of a GpSimd program
  kDynamicFloor,  ///< at least the target's floor for dynamic addresses
};

/// One row. `op` empty: any operation; the row of an operation that the table doesn't name.
struct InstructionCostRow {
  std::string_view op;
  std::optional<Engine> engine;  ///< absent: any
  int from_level = 0;            ///< architecture level from which it applies
  CostCondition condition = CostCondition::kAlways;
  CostFormula formula = CostFormula::kPerElement;
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
  CostExtra extra = CostExtra::kNone;
  std::string_view source;
  Confidence confidence = Confidence::kDocumented;
};
/// In the order in which they are tried. Source: isa_costs §3.1 and §3.2.
const std::vector<InstructionCostRow>& InstructionCostRows();

struct InstructionCost {
  // In cycles of the engine
  Cycles read_init;    ///< until the first element
  Cycles exec;         ///< what the row says
  Cycles write_drain;  ///< from the last element until a dependent instruction may read the result
  Cycles interval;     ///< from its start to the next instruction's
  /// By the engine's clock: the interval, and all three parts as the latency.
  ComputeTime time;
  const InstructionCostRow* row = nullptr;  ///< what gave it
  bool known = false;                       ///< the table names the operation

  Cycles total() const { return read_init + exec + write_drain; }
};

/// Cost of a compute instruction. Scalar and Vector hide the start of their accesses and the
/// drain of their results behind the next instruction, unless it depends on them: they take the
/// row's cycles as their interval. PE loads its stationary operand behind the product before, and
/// GpSimd's start isn't hidden.
/// Source: isa_costs §3.1 to §3.3; the dependent chain of 264 cycles and the isolated copy of
/// N + 140 fix where the overheads lie.
InstructionCost CostOf(const InstructionShape& shape, const Target& target);

/// The same without its times, which take longer to compute than all the rest.
InstructionCost CyclesOf(const InstructionShape& shape, const Target& target);

/// How far to trust `row` on `target`: the costs were published for NeuronCore-v2 and its
/// successors inherit them; for its predecessor nothing is known.
/// Source: isa_costs §8.
Confidence ConfidenceOf(const InstructionCostRow& row, const Target& target);

/// Whether results of `engine` may still be on their way when its next instruction starts: then
/// its order alone doesn't order a read after a write.
bool IsPipelined(Engine engine);

}  // namespace spillway
