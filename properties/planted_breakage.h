// Faults planted into an allocator's answer, to see whether judges find them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"

namespace spillway {

/// What is done to an allocation. Any of them may be harmless by chance.
enum class Breakage : std::uint8_t {
  kMoveTensor,  ///< another byte for one SBUF block
  kDropCopy,    ///< a save or a reload less
  kMoveCopy,    ///< a save or a reload a few instructions earlier or later
  kDropGuard,   ///< a save or a reload without its predicates
  kShiftHome,   ///< a save or a reload one element off at its home
  kSwapTensor,  ///< an operand reads another tensor of the same shape
};
inline constexpr int kBreakages = 6;

struct PlantedBreakage {
  Kernel kernel;
  Placement placement;
  std::string what;  ///< for a person
};

/// `kernel`, an allocated function, with one fault of that kind, at a place that `where` chooses;
/// nothing where there is no such place. Addresses stay below `capacity` and on `granule`.
std::optional<PlantedBreakage> PlantBreakage(const Kernel& kernel, const Placement& placement,
                                             Breakage breakage, std::uint32_t where, Bytes capacity,
                                             Bytes granule);

}  // namespace spillway
