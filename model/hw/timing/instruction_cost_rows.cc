#include "model/hw/timing/instruction_cost.h"

namespace spillway {
namespace {

using enum CostCondition;
using enum CostFormula;
using enum CostExtra;

constexpr std::string_view kIsa = "isa_costs §3.1 (nki.isa 2.26)";
constexpr std::string_view kModes = "isa_costs §3.2 (trainium2_arch, Vector performance mode)";
constexpr std::string_view kScalar4 = "isa_costs §3.2 (trainium3_arch, Scalar at twice the rate)";
constexpr std::string_view kArch4 = "isa_costs §3.1 (trainium3_arch)";
constexpr std::string_view kGuess = "isa_costs §3.1: no cost published";

constexpr auto kDoc = Confidence::kDocumented;
constexpr auto kDer = Confidence::kDerived;
constexpr auto kAss = Confidence::kAssumed;
constexpr std::optional<Engine> kAny = std::nullopt;

}  // namespace

const std::vector<InstructionCostRow>& InstructionCostRows() {
  static const std::vector<InstructionCostRow> rows = {
      // op, engine, from level, condition, formula, numerator, denominator, extra, source,
      // confidence
      {"nc_matmul", kAny, 0, kAlways, kMatmul, 1, 1, kNone, kIsa, kDoc},
      {"nc_matmul_mx", kAny, 40, kAlways, kMatmul, 1, 1, kNone, kArch4, kDoc},
      {"nc_transpose", Engine::kPe, 0, kAlways, kPeTranspose, 1, 1, kNone, kIsa, kDoc},
      {"nc_transpose", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},

      {"activation", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"activation_reduce", kAny, 0, kAlways, kPerElement, 1, 1, kReadOut, kIsa, kDoc},

      {"tensor_copy", Engine::kDve, 30, kSbuf16Contiguous, kPerElement, 1, 4, kNone, kModes, kDer},
      {"tensor_copy", Engine::kDve, 30, kSbuf16, kPerElement, 1, 2, kNone, kModes, kDer},
      {"tensor_copy", Engine::kDve, 30, kPsum16, kPerElement, 1, 2, kNone, kModes, kDer},
      {"tensor_copy", Engine::kAct, 40, k16, kPerElement, 1, 2, kNone, kScalar4, kDer},
      {"tensor_copy", Engine::kPool, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kIsa, kDer},
      {"tensor_copy", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"tensor_copy_dynamic_src", kAny, 0, kAlways, kPerElement, 1, 1, kDynamicFloor, kIsa, kDoc},
      {"tensor_copy_dynamic_dst", kAny, 0, kAlways, kPerElement, 1, 1, kDynamicFloor, kIsa, kDoc},
      {"tensor_copy_predicated", kAny, 0, kAnyPsum, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"tensor_copy_predicated", kAny, 0, kAlways, kPerElement, 2, 1, kNone, kIsa, kDoc},

      {"tensor_scalar", Engine::kDve, 30, kSbuf16Contiguous, kPerElement, 1, 4, kNone, kModes,
       kDer},
      {"tensor_scalar", Engine::kDve, 30, kSbuf16, kPerElement, 1, 2, kNone, kModes, kDer},
      {"tensor_scalar", Engine::kDve, 30, kPsum16, kPerElement, 1, 2, kNone, kModes, kDer},
      {"tensor_scalar", Engine::kAct, 40, k16, kPerElement, 1, 2, kNone, kScalar4, kDer},
      {"tensor_scalar", Engine::kPool, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kIsa, kDer},
      {"tensor_scalar", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"tensor_scalar_reduce", kAny, 0, kAlways, kPerElement, 1, 1, kReadOut, kIsa, kDoc},

      {"tensor_tensor", Engine::kPool, 0, kAlways, kPerElement, 2, 1, kGpsimdStart, kIsa, kDer},
      {"tensor_tensor", Engine::kDve, 30, kSbuf16, kPerElement, 1, 2, kNone, kModes, kDer},
      {"tensor_tensor", kAny, 0, kAnyPsum, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"tensor_tensor", kAny, 0, kSbuf16Contiguous, kPerElement, 1, 1, kNone, kIsa, kDer},
      {"tensor_tensor", kAny, 0, kAlways, kPerElement, 2, 1, kNone, kIsa, kDoc},
      {"tensor_tensor_scan", kAny, 0, kAlways, kPerElement, 2, 1, kNone, kIsa, kDoc},
      // The shortcuts for bfloat16 with certain operators aren't priced: the dearer row for all.
      {"scalar_tensor_tensor", kAny, 0, kAlways, kPerElement, 2, 1, kNone, kIsa, kDer},
      {"tensor_reduce", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDer},

      {"select_reduce", kAny, 0, kAlways, kPerElement, 2, 1, kNone, kGuess, kAss},
      {"sequence_bounds", kAny, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kGuess, kAss},
      {"tensor_partition_reduce", kAny, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kGuess, kAss},
      {"range_select", kAny, 30, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"reciprocal", Engine::kDve, 0, kAlways, kPerElement, 8, 1, kNone, kIsa, kDoc},
      {"reciprocal", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"bn_stats", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"bn_aggr", kAny, 0, kAlways, kPerElement, 13, 3, kNone, kIsa, kDoc},
      {"dropout", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"memset", Engine::kPool, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kGuess, kAss},
      {"memset", kAny, 0, kZero16, kPerElement, 1, 2, kNone, kIsa, kDoc},
      {"memset", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"max8", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"nc_find_index8", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"nc_match_replace8", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDer},
      {"nc_stream_shuffle", kAny, 0, kAlways, kPerElement, 1, 1, kNone, kIsa, kDoc},
      {"exponential", Engine::kDve, 40, kAlways, kPerElement, 1, 4, kNone, kArch4, kDoc},
      {"quantize_mx", Engine::kDve, 40, kAlways, kPerElement, 1, 4, kNone, kArch4, kDoc},

      {"iota", kAny, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kIsa, kDoc},
      {"affine_select", kAny, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kIsa, kDoc},
      {"local_gather", kAny, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, kIsa, kAss},
      {"topk", kAny, 30, kAlways, kPerElement, 4, 1, kNone, kIsa, kDer},

      {"", Engine::kPool, 0, kAlways, kPerElement, 1, 1, kGpsimdStart, "generic rule", kAss},
      {"", kAny, 0, kAlways, kPerElement, 1, 1, kNone, "generic rule", kAss},
  };
  return rows;
}

}  // namespace spillway
