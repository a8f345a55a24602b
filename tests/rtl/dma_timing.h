// The machine's descriptor rule in the terms of the RTL: the only place that knows both.
#pragma once

#include <cstdint>

#include "model/hw/clock.h"
#include "model/hw/error.h"
#include "model/hw/target.h"
#include "model/hw/timing/dma_cost.h"

namespace spillway {

/// The time pins of dma_queue_engine.sv.
struct DmaTimes {
  std::uint64_t credit = 1;
  std::uint64_t byte = 0;
  std::uint64_t fixed = 0;
  std::uint64_t floor = 0;
  std::uint64_t issue = 0;
};

/// What the pins hold for a target, a clock of whole kilohertz, and a kind of descriptor.
/// Errors: ContractViolation if a number doesn't fit its pins, or a beat takes less than a cycle.
/// Source: derived from the rows. A cycle lasts 10^9 / kHz ps and moves rate x that / 10^6 bytes,
/// over the n / d of the kind, its payload per mille. Times rate x d x kHz, everything is an
/// integer: a cycle pays rate x d x 10^9, a byte costs n x 10^6 x kHz, and a picosecond rate x d x
/// kHz.
inline DmaTimes DmaTimesOf(const Target& target, std::int64_t hertz, DescriptorKind kind) {
  __extension__ using Wide = unsigned __int128;
  const auto kilohertz = static_cast<Wide>(hertz / 1000);
  const auto rate = static_cast<Wide>(target.dma_bytes_per_microsecond.value);
  const Wide denominator = 1000;
  Wide amounts[] = {
      rate * denominator * 1'000'000'000,
      static_cast<Wide>(PayloadPerMille(target, kind)) * 1'000'000 * kilohertz,
      static_cast<Wide>(target.dma_descriptor_fixed.value.value) * rate * denominator * kilohertz,
      static_cast<Wide>(target.dma_descriptor_floor.value.value) * rate * denominator * kilohertz,
  };
  Wide common = 0;
  for (Wide amount : amounts) {
    while (amount != 0) {  // Euclid; std::gcd has no 128 bits without extensions
      const Wide rest = common % amount;
      common = amount;
      amount = rest;
    }
  }
  for (Wide& amount : amounts) {
    amount /= common;
    SPILLWAY_CHECK(amount <= 0xFFFFFFFF, "a time fits its 32 pins");
  }
  SPILLWAY_CHECK(amounts[1] <= 0xFFFF, "the cost of a byte fits its 16 pins");
  SPILLWAY_CHECK(32 * amounts[1] >= amounts[0], "a full beat takes a cycle or more");
  return {static_cast<std::uint64_t>(amounts[0]), static_cast<std::uint64_t>(amounts[1]),
          static_cast<std::uint64_t>(amounts[2]), static_cast<std::uint64_t>(amounts[3]),
          static_cast<std::uint64_t>(CyclesIn(target.dma_issue_floor, hertz).value)};
}

}  // namespace spillway
