// Where each barrier of a coalesced array lies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/hw/quantity.h"

namespace spillway::task {

/// Barriers of 8 bytes each.
using BarrierCount = Quantity<struct BarrierCountTag>;
/// An entry of the barrier array.
using BarrierIndex = Position<struct BarrierIndexTag, BarrierCount>;

/// The entries of one registration: "<pipeline>.full", "<pipeline>.empty", …
struct BarrierEntry {
  std::string name;
  BarrierIndex offset;
  BarrierCount count;
  std::int64_t arrivals = 1;
  friend bool operator==(const BarrierEntry&, const BarrierEntry&) = default;
};

/// A maximal contiguous range of entries with one number of arrivals.
struct BarrierRun {
  BarrierIndex begin;
  BarrierIndex end;
  std::int64_t arrivals = 1;
  friend bool operator==(const BarrierRun&, const BarrierRun&) = default;
};

/// The whole array. Source: seed 001 (BarrierAllocator); ts_pipelines.md §5.
struct BarrierLayout {
  std::vector<BarrierEntry> entries;  ///< in the order of registration
  BarrierCount used;                  ///< highest used end
  BarrierCount padded;                ///< entries of the array, whole chunks
  std::vector<BarrierRun> runs;       ///< ascending; they cover exactly the used entries

  friend bool operator==(const BarrierLayout&, const BarrierLayout&) = default;
};

}  // namespace spillway::task
