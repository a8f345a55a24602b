#include <array>
#include <cmath>

#include "model/hw/error.h"
#include "sim/values/operators.h"
#include "sim/values/portable_math.h"

namespace spillway {
namespace {

struct Row {
  std::string_view name;
  ActivationFunction function;
};

// Source: NKI ISA, supported activation functions. The hardware approximates them by pieces of
// polynomials; here they are exact to float32.
constexpr std::array kFunctions = {
    Row{"copy", ActivationFunction::kCopy},
    Row{"identity", ActivationFunction::kCopy},
    Row{"square", ActivationFunction::kSquare},
    Row{"sigmoid", ActivationFunction::kSigmoid},
    Row{"relu", ActivationFunction::kRelu},
    Row{"gelu", ActivationFunction::kGelu},
    Row{"gelu_dx", ActivationFunction::kGeluDx},
    Row{"gelu_apprx_tanh", ActivationFunction::kGeluTanh},
    Row{"silu", ActivationFunction::kSilu},
    Row{"silu_dx", ActivationFunction::kSiluDx},
    Row{"tanh", ActivationFunction::kTanh},
    Row{"softplus", ActivationFunction::kSoftplus},
    Row{"mish", ActivationFunction::kMish},
    Row{"erf", ActivationFunction::kErf},
    Row{"erf_dx", ActivationFunction::kErfDx},
    Row{"exp", ActivationFunction::kExp},
    Row{"log", ActivationFunction::kLog},
    Row{"sin", ActivationFunction::kSin},
    Row{"cos", ActivationFunction::kCos},
    Row{"arctan", ActivationFunction::kArctan},
    Row{"sqrt", ActivationFunction::kSqrt},
    Row{"rsqrt", ActivationFunction::kRsqrt},
    Row{"reciprocal", ActivationFunction::kReciprocal},
    Row{"sign", ActivationFunction::kSign},
    Row{"abs", ActivationFunction::kAbs},
};

double GeluTanh(double x) {
  return 0.5 * x * (1.0 + portable::Tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

double SiluDx(double x) {
  const double s = portable::Sigmoid(x);
  return s * (1.0 + x * (1.0 - s));
}

double Sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }

/// x times a weight that vanishes where x is -infinity.
double Weighted(double x, double weight) { return weight < 1e-300 ? 0.0 : x * weight; }

template <class Function>
void Map(std::span<float> row, Function function) {
  float* const values = row.data();
  for (std::size_t i = 0; i < row.size(); ++i) {
    values[i] = static_cast<float>(function(double{values[i]}));
  }
}

}  // namespace

std::optional<ActivationFunction> ParseActivation(std::string_view name) {
  for (const Row& row : kFunctions) {
    if (row.name == name) return row.function;
  }
  return std::nullopt;
}

void ActivateRow(ActivationFunction function, std::span<float> row) {
  switch (function) {
    case ActivationFunction::kCopy: return;
    case ActivationFunction::kSquare:
      for (float& value : row) value *= value;
      return;
    case ActivationFunction::kRelu:
      for (float& value : row) value = value < 0.0f ? 0.0f : value;
      return;
    case ActivationFunction::kAbs:
      for (float& value : row) value = std::fabs(value);
      return;
    case ActivationFunction::kReciprocal:
      for (float& value : row) value = 1.0f / value;
      return;
    case ActivationFunction::kExp: Map(row, portable::Exp); return;
    case ActivationFunction::kLog: Map(row, portable::Log); return;
    case ActivationFunction::kSqrt: Map(row, [](double x) { return std::sqrt(x); }); return;
    case ActivationFunction::kRsqrt: Map(row, [](double x) { return 1.0 / std::sqrt(x); }); return;
    case ActivationFunction::kSigmoid: Map(row, portable::Sigmoid); return;
    case ActivationFunction::kTanh: Map(row, portable::Tanh); return;
    case ActivationFunction::kSoftplus: Map(row, portable::Softplus); return;
    case ActivationFunction::kErf: Map(row, portable::Erf); return;
    case ActivationFunction::kArctan: Map(row, portable::Atan); return;
    case ActivationFunction::kSign: Map(row, Sign); return;
    case ActivationFunction::kSin:
      Map(row, [](double x) { return portable::SinCos(x).sine; });
      return;
    case ActivationFunction::kCos:
      Map(row, [](double x) { return portable::SinCos(x).cosine; });
      return;
    case ActivationFunction::kGelu:
      Map(row, [](double x) { return Weighted(x, portable::NormalCdf(x)); });
      return;
    case ActivationFunction::kGeluDx:
      Map(row, [](double x) {
        return portable::NormalCdf(x) + Weighted(x, portable::NormalDensity(x));
      });
      return;
    case ActivationFunction::kGeluTanh: Map(row, GeluTanh); return;
    case ActivationFunction::kSilu:
      Map(row, [](double x) { return Weighted(x, portable::Sigmoid(x)); });
      return;
    case ActivationFunction::kSiluDx: Map(row, SiluDx); return;
    case ActivationFunction::kMish:
      Map(row, [](double x) { return Weighted(x, portable::Tanh(portable::Softplus(x))); });
      return;
    case ActivationFunction::kErfDx:
      Map(row, [](double x) { return 1.12837916709551257390 * portable::Exp(-x * x); });
      return;
  }
  SPILLWAY_CHECK(false, "a function outside its enum");
}

}  // namespace spillway
