// The loop-aware SBUF colourer: the driver of all passes in this folder.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/alloc/sbuf/simplify.h"
#include "model/hw/error.h"
#include "model/hw/hwm.h"
#include "model/hw/target.h"

namespace spillway {

struct SbufOptions {
  Bytes capacity;  ///< per partition; at most the target's usable bytes
  SpillMetric metric = SpillMetric::kCostPerOverload;
  std::int64_t attempts = 1;                         ///< orders tried in each iteration: ColourBest
  std::int64_t spill_cap = 65536;                    ///< reload copies. Source: seed 003 §4
  double watchdog_seconds = 2700;                    ///< wall clock. Source: colorer.md §1
  std::function<void(const std::string&)> progress;  ///< one line per iteration; may be empty
};

/// One original tensor that was spilled, with what the oracle says that costs.
struct SpilledTensor {
  std::string name;
  double predicted_cycles = 0;
};

/// How the fixpoint ended; the two failures come back as errors of the same names.
enum class SbufOutcome { kFixpoint, kSpillCap, kFailure };

struct SbufStats {
  std::int64_t iterations = 0;
  std::int64_t optimistic = 0;         ///< pushed against the degree test, over all iterations
  std::int64_t attempts = 1;           ///< orders tried in each iteration
  std::int64_t better_attempts = 0;    ///< iterations in which a later order of `attempts` was kept
  std::vector<SpilledTensor> spilled;  ///< in the order in which they were spilled
  std::int64_t saves = 0;              ///< instructions in the final function
  std::int64_t reloads = 0;
  std::int64_t reloads_removed = 0;
  double predicted_cycles = 0;            ///< of the final function's saves and reloads
  Bytes peak_live_bytes;                  ///< before spilling
  Bytes high_water_bytes;                 ///< highest end of a placed tensor
  std::array<Bytes, 4> quadrant_bytes{};  ///< most that is live per quadrant, in the final function
  double demand_percent = 0;              ///< before spilling
  std::vector<std::string> messages;      ///< the seed's phrases: "no more spills", …
};

struct SbufAllocation {
  Kernel kernel;        ///< with spill code in place
  Placement placement;  ///< of every accessed SBUF tensor of `kernel`
  SbufStats stats;
  SbufOutcome outcome = SbufOutcome::kFixpoint;
};

/// Colours every SBUF tensor without `at`; tensors with `at` are reservations.
/// Errors: kInstructionWorkingSet, kCapacity ("couldn't allocate every tensor in SB and spilling
/// can't help"), kSpillCap, kLimit (watchdog).
/// Source: seed 003; colorer.md §1 to §3.
Result<SbufAllocation> AllocateSbuf(Kernel kernel, const Target& target, const Hwm& hwm,
                                    const SbufOptions& options);

}  // namespace spillway
