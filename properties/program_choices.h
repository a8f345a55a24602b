// A program of the machine as a flat list of small, independent choices, and a target to play it
// on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"

namespace spillway {

/// One instance. Any values are legal; small ones are simple, so that shrinking a byte simplifies.
struct ProgramChoice {
  std::uint8_t stream = 0;  ///< low half: which stream; above: its kind
  std::uint8_t time = 0;    ///< few distinct ones, so that many things meet at one instant
  std::uint8_t extra = 0;   ///< latency beyond the interval
  std::uint8_t shape = 0;   ///< descriptors and first engine
  std::uint8_t wait = 0;    ///< how far back the first producer is; 0: none
  std::uint8_t second = 0;  ///< the same for another one
  std::uint8_t channels = 0;
  friend bool operator==(const ProgramChoice&, const ProgramChoice&) = default;
};

/// Rates of the target, from single bytes. All zero: simple ones.
struct RateChoice {
  std::uint8_t start_latency = 0;
  std::uint8_t issue_floor = 0;
  std::uint8_t generators = 0;
  std::uint8_t semaphore_latency = 0;
  std::uint8_t ramp = 0;
  std::uint8_t engines = 0;  ///< 16 less this, modulo 16
  friend bool operator==(const RateChoice&, const RateChoice&) = default;
};

/// A program and its target: every sub-list of choices is a program that ends.
struct ProgramCase {
  std::vector<ProgramChoice> choices;
  RateChoice rates;

  HwProgram Program() const;
  /// trn2 with the rates of this case.
  Target RatesOf() const;
};
std::string Show(const ProgramCase& program_case);

/// What a program has in it, for the coverage of a property.
struct ProgramFeatures {
  bool narrow_transfers = false;  ///< some DMA engine has no share
  bool queues_meet = false;       ///< two queues' transfers in flight at once
  bool shared_channels = false;   ///< two streams with a channel in common
  bool pipelined = false;         ///< an instance that ends after the next may start
  bool partial_waits = false;     ///< a wait for fewer increments than engines
};
ProgramFeatures FeaturesOf(const HwProgram& program, const Target& target);

/// `count` choices and rates from a seed, the same on every machine.
ProgramCase ProgramCaseFromSeed(std::uint64_t seed, std::size_t count);

}  // namespace spillway
