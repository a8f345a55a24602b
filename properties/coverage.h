// What the cases of a run had in them, and how much of each a run must have.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/allocate.h"
#include "properties/allocation_problem.h"

namespace spillway {

enum class Bin {
  kLoops,
  kNestedLoops,
  kThreeLoops,
  kManyTrips,
  kNoTrips,
  kPredicates,
  kPartialWrites,
  kBlocks,
  kRotatingBlocks,
  kAccumulation,
  kNarrow,
  kPsum,
  kFixed,
  kSpilled,
  kRespilled,
  kSaves,
  kReloadsRemoved,
  kSpillsInLoops,
  kGuardedSpills,
  kPsumSpilled,
  kOptimistic,
  kSharedBands,
  kSharedBytes,
  kRefused,
  kBankSized,
  kManyBanks,
  kPsumBlocks,
  kPsumRotating,
  kPsumParts,
  kPsumPredicates,
  kHundredTrips,
  kLongTurns,
  kInf1,
};
inline constexpr std::size_t kBins = static_cast<std::size_t>(Bin::kInf1) + 1;
/// "three loops", "reloads removed", …
std::string_view BinName(Bin bin);

/// The bins of one case.
using BinSet = std::uint64_t;
constexpr BinSet Only(Bin bin) { return BinSet{1} << static_cast<int>(bin); }

BinSet BinsOf(const Kernel& kernel);
BinSet BinsOf(const Allocation& allocation);

/// Which floors a run is held to. Spills, rounds and shared bytes are the colourer's to have:
/// another allocator is right without any.
enum class Floors { kKernels, kColourer };

/// Counts of a run; plain numbers, so that they can lie in memory that processes share.
struct Coverage {
  std::int64_t cases = 0;
  std::array<std::int64_t, kBins> counts{};

  void Add(BinSet bins);
  void Add(const Coverage& other);
  double Percent(Bin bin) const;
  /// A sentence a bin that misses its floor, or exceeds its ceiling, by more than a run of this
  /// size may by chance. Few cases (under 200) prove nothing, and are not judged.
  std::vector<std::string> Shortfalls(Floors floors = Floors::kColourer) const;
  /// "loops 80 %, nested loops 41 %, …".
  std::string ToText() const;
};

}  // namespace spillway
