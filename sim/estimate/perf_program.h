// What the compiler's event simulator times: a list of instructions in program order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/hw/units.h"

namespace spillway {

/// Numbered as the compiler numbers them. A full barrier runs on no timeline of its own.
/// Source: hwm_and_geometry §3.
enum class Timeline {
  kUnassigned = 0,
  kPool = 1,
  kActivation = 2,
  kPe = 3,
  kDma = 4,
  kDve = 5,
  kSp = 6,
  kFullBarrier = 7,
  kCollective0 = 8,
  kCollective1 = 9,
  kCollective2 = 10,
  kCollective3 = 11,
};
inline constexpr int kTimelines = 12;

/// A DMA is two instructions: a trigger, which takes a slot of a queue when it is issued, and a
/// transfer, which leaves the queue when it is dispatched.
enum class DmaPart { kNone, kTrigger, kTransfer };

using PerfId = Id<struct PerfIdTag>;

/// What `instruction` does must be done first.
struct Producer {
  PerfId instruction;
  bool anti = false;  ///< an anti-dependence: it is there only because two tensors share bytes
  friend bool operator==(const Producer&, const Producer&) = default;
};

struct PerfInstruction {
  Timeline timeline = Timeline::kUnassigned;
  Cycles duration;
  std::vector<BankId> psum_banks;  ///< that it writes
  DmaPart dma = DmaPart::kNone;
  int queue = 0;   ///< of a trigger
  PerfId trigger;  ///< of a transfer: the trigger that it belongs to
};

/// Instructions with their producers, all of which come earlier.
class PerfProgram {
 public:
  /// Throws ContractViolation for a producer that isn't there yet, a queue that doesn't exist, a
  /// negative duration, and a transfer whose trigger isn't one or has a transfer already.
  PerfId Add(PerfInstruction instruction, std::span<const Producer> producers = {});

  std::size_t size() const { return instructions_.size(); }
  const PerfInstruction& operator[](PerfId id) const { return instructions_[id.value]; }
  std::span<const Producer> ProducersOf(PerfId id) const {
    return std::span(producers_).subspan(first_[id.value], first_[id.value + 1] - first_[id.value]);
  }

 private:
  std::vector<PerfInstruction> instructions_;
  std::vector<Producer> producers_;
  std::vector<std::size_t> first_ = {0};
  std::vector<bool> has_transfer_;  ///< of each instruction, where it is a trigger
};

}  // namespace spillway
