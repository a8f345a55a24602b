#include "model/hw/closed_form_rules.h"

#include <algorithm>

namespace spillway {
namespace {

using enum ClosedFormFormula;

constexpr std::string_view kOracle = "hwm_and_geometry §2";
// The helper that prices nearly every operation is known, the base that each one gives it is not.
constexpr std::string_view kHelper =
    "hwm_and_geometry §2, latency(base, mult); base: isa_costs §3.3";
constexpr std::string_view kInit = "hwm_and_geometry §2, activation; init known for trn3 only";
constexpr std::optional<Engine> kDataEngines = std::nullopt;
constexpr auto kDoc = Confidence::kDocumented;
constexpr auto kDer = Confidence::kDerived;

constexpr std::string_view kGeneralOperations[] = {
    "tensor_copy",
    "tensor_copy_dynamic_src",
    "tensor_copy_dynamic_dst",
    "tensor_copy_predicated",
    "tensor_scalar",
    "tensor_scalar_reduce",
    "tensor_tensor",
    "tensor_tensor_scan",
    "scalar_tensor_tensor",
    "tensor_reduce",
    "tensor_partition_reduce",
    "select_reduce",
    "range_select",
    "reciprocal",
    "bn_stats",
    "bn_aggr",
    "dropout",
    "max8",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_stream_shuffle",
    "iota",
    "affine_select",
    "local_gather",
};

std::vector<ClosedFormRule> MakeRules() {
  std::vector<ClosedFormRule> rules = {
      {"nc_matmul", Engine::kPe, 0, kMatmul, kOracle, kDoc},
      {"nc_matmul_mx", Engine::kPe, 40, kMatmul, kOracle, kDer},
      {"nc_transpose", Engine::kPe, 0, kGeneral, kHelper, kDer},
      {"nc_transpose", Engine::kDve, 0, kGeneral, kHelper, kDer},
      {"activation", Engine::kAct, 0, kActivation, kInit, kDer},
      {"activation_reduce", Engine::kAct, 0, kActivation, kInit, kDer},
      {"memset", Engine::kSp, 0, kMemset, kOracle, kDoc},
      // NKI clears tensors on Vector and GpSimd; the oracle's only formula for it is SP's.
      {"memset", kDataEngines, 0, kMemset, kOracle, kDer},
      {"dma_copy", Engine::kDma, 0, kDma, kOracle, kDoc},
      {"dma_transpose", Engine::kDma, 30, kDma, kOracle, kDer},
  };
  for (const std::string_view op : kGeneralOperations) {
    rules.push_back({op, kDataEngines, 0, kGeneral, kHelper, kDer});
  }
  return rules;
}

}  // namespace

std::string_view FormulaText(ClosedFormFormula formula) {
  switch (formula) {
    case kGeneral: return "(N mult + start) 100/f";
    case kMatmul: return "(K/2 + 200) 100/f";
    case kMemset: return "(100 N + 5000)/f";
    case kActivation: return "init 100/f + N 100/f";
    case kDma: return "1300 + ceil(P/16) bytes/DIV";
  }
  return "";
}

const std::vector<ClosedFormRule>& ClosedFormRules() {
  static const std::vector<ClosedFormRule> rules = MakeRules();
  return rules;
}

const ClosedFormRule* ClosedFormRuleOf(std::string_view op, Engine engine, const Target& target) {
  const bool data_engine =
      engine == Engine::kAct || engine == Engine::kPool || engine == Engine::kDve;
  for (const ClosedFormRule& rule : ClosedFormRules()) {
    if (rule.op != op || rule.from_level > target.architecture_level) continue;
    if (rule.engine ? *rule.engine == engine : data_engine) return &rule;
  }
  return nullptr;
}

}  // namespace spillway
