// Allocations with one thing wrong, for judges to find.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"

namespace spillway {

enum class Damage {
  kMovedPlace,      ///< a tensor's block lies where another one does
  kDroppedSpill,    ///< a save or a reload is gone
  kMovedSpill,      ///< a save or a reload has changed places with the instruction after it
  kUnguardedSpill,  ///< a save or a reload has lost its predicates
  kInvertedSpill,   ///< a save or a reload runs where it mustn't
  kSharedHome,      ///< a home in DRAM lies where another one does
};
/// Every kind of damage, in order.
const std::vector<Damage>& AllDamages();

struct BrokenAllocation {
  Kernel kernel;
  Placement placement;
  std::string what;  ///< for a person
};

/// `kernel` (allocated at `placement`) with that damage at a place that `which` and `where` choose;
/// nothing where it has no such place. The result may still be right: a place may be moved onto one
/// that is free at the time.
std::optional<BrokenAllocation> Break(const Kernel& kernel, const Placement& placement,
                                      Damage damage, std::uint8_t which, std::uint8_t where);

}  // namespace spillway
