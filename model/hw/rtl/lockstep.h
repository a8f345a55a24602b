// An RTL module and its SystemC twin under one clock and one stimulus, compared every cycle.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hw/rtl/bits.h"

namespace spillway {

enum class RtlModule { kSbufBankGroup, kPsumBank, kDmaQueueEngine };
/// The SystemVerilog module's name, "psum_bank".
std::string_view RtlModuleName(RtlModule module);

/// What a twin is built with.
enum class TwinShape {
  kSame,   ///< the RTL's parameters
  kOther,  ///< one parameter differs on purpose: such a pair must diverge
};

/// The pins of a pair as a stimulus sees them: it reads what the RTL drives and drives the inputs
/// of both. Names are those of the SystemVerilog ports; an unknown one is a ContractViolation.
class Pins {
 public:
  virtual ~Pins() = default;

  virtual const Bits& Output(std::string_view name) const = 0;
  /// Keeps its value until it is set again.
  virtual Bits& Input(std::string_view name) = 0;

  std::uint64_t Get(std::string_view name) const { return Output(name).Field(0, 64); }
  bool Is(std::string_view name) const { return Get(name) != 0; }
  void Set(std::string_view name, std::uint64_t value) { Input(name) = Bits(value); }

  /// Notes a transaction; a divergence prints the last ones.
  void Log(std::string transaction);
  std::uint64_t transactions() const { return transactions_; }
  const std::deque<std::string>& recent() const { return recent_; }

 protected:
  void ForgetTransactions();

 private:
  std::uint64_t transactions_ = 0;
  std::deque<std::string> recent_;
};

/// Drives the inputs, once before each rising edge. The pair is in reset for the first
/// kResetCycles, whatever it drives; it may pull `rst` again later. Outputs mean nothing in cycle
/// 0.
class Stimulus {
 public:
  virtual ~Stimulus() = default;
  virtual void Drive(Pins& pins, std::uint64_t cycle) = 0;
};
inline constexpr std::uint64_t kResetCycles = 2;

/// Makes the same stimulus each time it is called: what has diverged is run again for the trace.
using StimulusFactory = std::function<std::unique_ptr<Stimulus>()>;

/// The first cycle after which an output differed.
struct Divergence {
  std::uint64_t cycle = 0;  ///< the rising edge, counted from 0 with the reset
  std::string pin;          ///< the first in the order of names
  Bits rtl;
  Bits twin;
  std::vector<std::string> also;    ///< further outputs that differ after the same edge
  std::vector<std::string> recent;  ///< the last transactions
  std::filesystem::path trace;      ///< FST of the RTL from reset to a few cycles later

  std::string ToString(RtlModule module) const;
};

struct LockstepResult {
  std::uint64_t cycles = 0;
  std::uint64_t transactions = 0;
  std::optional<Divergence> divergence;
};

/// Resets the pair and clocks it `cycles` times, or up to the first divergence, which goes to
/// stderr and, by a second run from reset, as an FST into `trace_folder`.
/// All pairs of the process are elaborated at the first call: SystemC can't do it later.
/// Errors: ContractViolation if the trace can't be written or the second run doesn't diverge.
LockstepResult RunLockstep(RtlModule module, TwinShape shape, const StimulusFactory& stimulus,
                           std::uint64_t cycles, const std::filesystem::path& trace_folder);

/// Writes Verilator's coverage counts of this process; false in a build without coverage.
bool WriteRtlCoverage(const std::filesystem::path& file);

}  // namespace spillway
