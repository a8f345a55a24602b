// The PSUM colourer: the driver of all passes in this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/error.h"
#include "model/hw/hwm.h"
#include "model/hw/target.h"

namespace spillway {

struct PsumOptions {
  std::optional<BankCount> banks;  ///< fewer than the target's
  bool reallocate = false;         ///< ignore the `at` of PSUM tensors
  std::int64_t spill_cap = 65536;  ///< reload copies. Source: seed 003 §4
};

struct SpilledPsumTensor {
  std::string name;
  double predicted_cycles = 0;  ///< of its copies, by the oracle
};

struct PsumStats {
  std::int64_t iterations = 0;
  double demand_percent = 0;               ///< before spilling
  BankCount peak_banks;                    ///< most that hold something alive at one point, finally
  std::vector<SpilledPsumTensor> spilled;  ///< in the order in which they were spilled
  std::int64_t saves = 0;             ///< copies out of PSUM, instructions in the final function
  std::int64_t reloads = 0;           ///< copies back
  std::vector<std::string> messages;  ///< "<x>% PSUM demand before spilling", …
};

struct PsumAllocation {
  Kernel kernel;        ///< with spill code in place
  Placement placement;  ///< of every accessed PSUM tensor of `kernel`: byte = bank * bank bytes
  PsumStats stats;
};

/// Colours every PSUM tensor without `at`; tensors with `at` are reservations. Spilled tensors wait
/// in SBUF, in tensors that the SBUF colourer then sees like any other.
/// Errors: kCapacity ("<name> is too big for PSUM, …", "couldn't allocate every tensor in PSUM and
/// spilling can't help"), kPartitionRange, kSpillCap.
/// Source: colorer.md §5.
Result<PsumAllocation> AllocatePsum(Kernel kernel, const Target& target, const Hwm& hwm,
                                    const PsumOptions& options);

}  // namespace spillway
