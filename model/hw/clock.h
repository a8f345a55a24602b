// Time and the clocks that count it.
#pragma once

#include <cstdint>

#include "model/hw/units.h"

namespace spillway {

/// Smallest number of periods of a clock of `hertz` that lasts at least `time`. Exact for whole
/// kilohertz, without overflow up to 10^15 ps and 10^11 Hz.
constexpr Cycles CyclesIn(Picoseconds time, std::int64_t hertz) {
  constexpr std::int64_t kPicosecondsPerKilohertzPeriod = 1'000'000'000;
  const std::int64_t kilohertz = hertz / 1000;
  const std::int64_t whole = time.value / kPicosecondsPerKilohertzPeriod;
  const std::int64_t rest = time.value % kPicosecondsPerKilohertzPeriod;
  return Cycles(whole * kilohertz + (rest * kilohertz + kPicosecondsPerKilohertzPeriod - 1) /
                                        kPicosecondsPerKilohertzPeriod);
}

/// Duration of `cycles` periods of a clock of `hertz`, rounded to the nearest picosecond. Exact
/// for whole kilohertz, without overflow up to 10^15 ps and 10^11 Hz.
constexpr Picoseconds DurationOf(Cycles cycles, std::int64_t hertz) {
  constexpr std::int64_t kPicosecondsPerKilohertzPeriod = 1'000'000'000;
  const std::int64_t kilohertz = hertz / 1000;
  const std::int64_t whole = cycles.value / kilohertz;
  const std::int64_t rest = cycles.value % kilohertz;
  return Picoseconds(whole * kPicosecondsPerKilohertzPeriod +
                     (rest * kPicosecondsPerKilohertzPeriod + kilohertz / 2) / kilohertz);
}

}  // namespace spillway
