// What must hold for the uses behind a point: tensor bytes = bytes at a site.
#pragma once

#include <vector>

#include "model/alloc/check/equation_sites.h"

namespace spillway::check::backward {

/// The bytes `sited.bytes` of a block of an original tensor are what lies at the site, there.
struct Equation {
  TensorId tensor;
  std::int64_t block = 0;
  SitedBytes sited;
  PointId use;  ///< one that asks for it; says nothing about what must hold
};

/// Equations, one for each block and site.
class EquationSet {
 public:
  void Add(Equation equation);
  void Add(const EquationSet& other);
  std::vector<Equation>& equations() { return equations_; }
  const std::vector<Equation>& equations() const { return equations_; }
  /// Forgets equations of no bytes.
  void DropEmpty();
  /// In an order of their own, so that equal sets compare equal.
  void Sort();

  /// Uses aside.
  friend bool operator==(const EquationSet& a, const EquationSet& b);

 private:
  std::vector<Equation> equations_;
};

}  // namespace spillway::check::backward
