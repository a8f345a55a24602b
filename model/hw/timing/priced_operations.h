// Which operations the cost table prices.
#pragma once

#include <vector>

#include "model/hw/timing/instruction_cost.h"

namespace spillway {

/// An operation that the cost table names, and an engine that runs it.
struct PricedOperation {
  std::string_view op;
  Engine engine = Engine::kDve;
  friend bool operator==(const PricedOperation&, const PricedOperation&) = default;
};

/// Every compute operation of the cost table that exists on `target`, with each of its engines, in
/// the order of the table. Products and their transposes run on PE, the rest on Scalar, Vector and
/// GpSimd, unless a row names its engine; Sync runs none.
/// Source: isa_costs §2 and §3.1.
std::vector<PricedOperation> PricedOperations(const Target& target);

}  // namespace spillway
