// An oracle of the tests' own: what an operation takes, by its name.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "model/hw/hwm.h"

namespace spillway {

class FixedPrices final : public Hwm {
 public:
  explicit FixedPrices(std::map<std::string, std::int64_t> prices) : prices_(std::move(prices)) {}

  std::string Name() const override { return "fixed prices"; }
  Cycles Latency(Space, AccessShape) const override { return Cycles(1); }
  Result<InstructionLatency> Latency(const InstructionShape& shape) const override {
    const auto found = prices_.find(std::string(shape.op));
    if (found == prices_.end()) {
      return Fail({Kind::kUnknownName, "unpriced-opcode",
                   "fixed prices don't price " + std::string(shape.op), "", 0});
    }
    return InstructionLatency{Cycles(found->second), Cycles(0), Cycles(0)};
  }

 private:
  std::map<std::string, std::int64_t> prices_;
};

}  // namespace spillway
