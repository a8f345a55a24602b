// Which operations the compiler's oracle prices, and by which of its formulas.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/hw/engine.h"
#include "model/hw/target.h"

namespace spillway {

/// N: the most elements per partition of any operand; f: elements per 100 model cycles of the
/// engine, from the target's rows, as are all other constants.
enum class ClosedFormFormula {
  kGeneral,     ///< floor((N * mult + access start) * 100 / f)
  kMatmul,      ///< floor((K / 2 + 200) * 100 / f), K contraction rows
  kMemset,      ///< floor((100 N + 5000) / f of SP)
  kActivation,  ///< floor(init * 100 / f) + floor(N * 100 / f), init by data type
  kDma,         ///< 1300 + descriptors + ceil(P / 16) * bytes / DIV, or N * P / DIV8 for 1 byte
};
/// The formula as a person reads it.
std::string_view FormulaText(ClosedFormFormula formula);

struct ClosedFormRule {
  std::string_view op;
  std::optional<Engine> engine;  ///< absent: Scalar, Vector and GpSimd
  int from_level = 0;            ///< architecture level from which the operation exists
  ClosedFormFormula formula = ClosedFormFormula::kGeneral;
  std::string_view source;
  Confidence confidence = Confidence::kDocumented;
};

/// Every operation that the closed form prices. Loops and barriers aren't instructions with a
/// price, and an operation without a rule here is an error of the oracle.
/// Source: hwm_and_geometry §2.
const std::vector<ClosedFormRule>& ClosedFormRules();

/// The rule of `op` on `engine`, nullptr without one.
const ClosedFormRule* ClosedFormRuleOf(std::string_view op, Engine engine, const Target& target);

}  // namespace spillway
