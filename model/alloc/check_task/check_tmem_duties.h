// Whether a kernel does around its tasks what the TMEM allocator leaves to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/task/codes.h"
#include "model/alloc/task/spaces.h"

namespace spillway::task {

enum class TmemEventKind {
  kAllocate,      ///< of columns, whose base goes to a slot in SMEM
  kBarrier,       ///< of the CTA: everybody sees what was before it
  kUse,           ///< tasks run that use the columns
  kDeallocate,    ///< of columns
  kGiveUpPermit,  ///< no more allocations from this CTA
};
/// "allocate", "barrier", "use", "deallocate", "give-up-permit".
std::string_view TmemEventKindName(TmemEventKind kind);

/// One event of a captured schedule.
struct TmemEvent {
  TmemEventKind kind = TmemEventKind::kBarrier;
  std::string name;  ///< of the allocation: its slot in SMEM
  Columns columns;   ///< of an allocation or deallocation
  std::int64_t warp = 0;
  std::int64_t cta = 0;  ///< of a pair: 0 or 1
  /// Of the warp when it issues the instruction; nothing: all of them.
  std::optional<std::int64_t> active_threads = std::nullopt;
};

struct TmemDuties {
  std::vector<TmemEvent> events;          ///< in the order of each CTA
  bool is_pair = false;                   ///< both CTAs of a pair allocate
  std::optional<Columns> layout_columns;  ///< what the layout needs; nothing: not compared
};

struct TmemFinding {
  Code code = Code::kTmemNotAllocated;
  std::string text;  ///< names and numbers, expected and found
  friend bool operator==(const TmemFinding&, const TmemFinding&) = default;
};

/// All findings, CTA by CTA in the order of events, then those of the kernel's end, then those of
/// the pair: tmem.request, tmem.request-too-small, tmem.not-allocated, tmem.allocated-twice,
/// tmem.not-visible, tmem.in-use, tmem.not-deallocated, tmem.columns, tmem.warp, tmem.partial-warp,
/// tmem.after-permit, tmem.permit-kept, tmem.pair, capacity.
/// Source: ts_pipelines.md §4 (the kernel's duties) and §6 (requests).
std::vector<TmemFinding> CheckTmemDuties(const TmemDuties& duties);

}  // namespace spillway::task
