#include "model/alloc/check/equation_set.h"

#include <algorithm>
#include <tuple>

namespace spillway::check::backward {
namespace {

auto KeyOf(const Equation& equation) {
  return std::tie(equation.tensor, equation.block, equation.sited.site);
}

}  // namespace

void EquationSet::Add(Equation equation) {
  if (equation.sited.bytes.empty()) return;
  for (Equation& known : equations_) {
    if (KeyOf(known) != KeyOf(equation)) continue;
    if (known.sited.bytes.empty()) known.use = equation.use;
    known.sited.bytes.Unite(equation.sited.bytes);
    return;
  }
  equations_.push_back(std::move(equation));
}

void EquationSet::Add(const EquationSet& other) {
  for (const Equation& equation : other.equations_) Add(equation);
}

void EquationSet::DropEmpty() {
  std::erase_if(equations_, [](const Equation& equation) { return equation.sited.bytes.empty(); });
}

void EquationSet::Sort() {
  DropEmpty();
  std::sort(equations_.begin(), equations_.end(),
            [](const Equation& a, const Equation& b) { return KeyOf(a) < KeyOf(b); });
}

bool operator==(const EquationSet& a, const EquationSet& b) {
  return std::equal(a.equations_.begin(), a.equations_.end(), b.equations_.begin(),
                    b.equations_.end(), [](const Equation& x, const Equation& y) {
                      return KeyOf(x) == KeyOf(y) && x.sited.bytes == y.sited.bytes;
                    });
}

}  // namespace spillway::check::backward
