// What the three oracles say about the same things.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "model/hw/error.h"
#include "model/hw/target.h"
#include "sim/tool/oracle.h"

namespace spillway {

/// Where a price comes from.
struct PriceRule {
  std::string source{};
  Confidence confidence = Confidence::kAssumed;
  friend bool operator==(const PriceRule&, const PriceRule&) = default;
};

/// One oracle's answer; without cycles it has no price, and no rule.
struct OraclePrice {
  std::optional<Cycles> cycles;  ///< of the reference clock
  PriceRule rule{};
};

/// One question, asked to all.
struct HwmProbe {
  std::string kind;      ///< "access", "dma", "instruction"
  std::string name;      ///< "sbuf"; "dma_copy strided"; "tensor_copy"
  std::string engine{};  ///< of an instruction
  std::string dtype{};   ///< of its operands
  std::int64_t partitions = 128;
  std::int64_t size = 1;  ///< per partition: bytes, or elements of an instruction
  std::array<OraclePrice, kOracleNames.size()> prices{};  ///< in the order of kOracleNames

  /// By how much the dearest price exceeds the cheapest; absent with fewer than two.
  std::optional<double> Difference() const;
  /// By more than 25 %.
  bool Differs() const;
};

/// Accesses by memory and size, DMAs by kind, size and rows, instructions by operation, engine and
/// elements. Errors: those of MakeOracle.
Result<std::vector<HwmProbe>> HwmTable(const Target& target);

}  // namespace spillway
