// Accesses that touch one place and end in program order: what pairs are searched among.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/check_task/access_point.h"
#include "model/alloc/check_task/happens_before.h"

namespace spillway::task {

/// Accesses of one class in one slot whose operations complete the same parts. Who knows that one
/// of them is over knows it of those before it too, so that the ones before any point of a task are
/// a prefix, and the ones after it a suffix.
struct AccessGroup {
  AccessClass what;
  std::uint32_t slot = 0;
  std::vector<AccessPoint> points;  ///< those that begin, in program order; at least one

  std::span<const Footprint> Footprints(const Program& program) const {
    return program.footprints[what.resource][slot];
  }
};

/// All accesses that begin, each in one group; groups by class and slot.
std::vector<AccessGroup> GroupAccesses(const Program& program, const Execution& execution);

/// Two groups that share memory, as indices: first <= second.
struct GroupPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  friend auto operator<=>(const GroupPair&, const GroupPair&) = default;
};

/// Pairs of groups that may share memory, each perhaps a finding: a bound on memory.
inline constexpr std::size_t kMaxGroupPairs = 1'000'000;
/// Footprints that may be compared: a bound on time.
inline constexpr std::size_t kMaxGroupLooks = 20'000'000;
/// Accesses of all these pairs, each as often as its group has a partner: a bound on the time of
/// the searches among them.
inline constexpr std::size_t kMaxPairedAccesses = 400'000'000;

/// Every pair of groups whose footprints intersect, a group with itself included, sorted.
/// Errors: limit (kLimit) beyond kMaxGroupPairs, kMaxGroupLooks or kMaxPairedAccesses.
Result<std::vector<GroupPair>> OverlappingGroups(const Program& program,
                                                 const std::vector<AccessGroup>& groups);

}  // namespace spillway::task
