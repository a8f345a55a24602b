// The memories that task pipelines share, and the unit in which each is counted.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "model/hw/units.h"

namespace spillway::task {

/// SMEM and TMEM belong to a GPU's task pipelines, SBUF and PSUM to a NeuronCore's.
/// Source: seed 001; ts_pipelines.md §11 and §16.
enum class MemorySpace { kSmem, kTmem, kSbuf, kPsum };
inline constexpr std::size_t kMemorySpaceCount = 4;
inline constexpr std::array<MemorySpace, kMemorySpaceCount> kMemorySpaces = {
    MemorySpace::kSmem, MemorySpace::kTmem, MemorySpace::kSbuf, MemorySpace::kPsum};

/// "smem", "tmem", "sbuf" or "psum".
std::string_view MemorySpaceName(MemorySpace space);
std::optional<MemorySpace> ParseMemorySpace(std::string_view name);
/// What a message writes behind a number of that space's units: "B" or "columns".
std::string_view UnitName(MemorySpace space);

/// What a space is counted in: bytes of SMEM, columns of TMEM, bytes within a partition of SBUF and
/// PSUM. For code that serves all spaces; a typed `Region` has the unit of its own space.
using Units = Quantity<struct UnitsTag>;
/// A place in a space, counted in its units from the base of the block.
using UnitOffset = Position<struct UnitOffsetTag, Units>;

/// One value for each memory.
template <class T>
struct PerSpace {
  std::array<T, kMemorySpaceCount> values{};

  constexpr T& operator[](MemorySpace space) { return values[static_cast<std::size_t>(space)]; }
  constexpr const T& operator[](MemorySpace space) const {
    return values[static_cast<std::size_t>(space)];
  }
  friend bool operator==(const PerSpace&, const PerSpace&) = default;
};

}  // namespace spillway::task
