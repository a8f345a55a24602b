// The stack manager of NKI's library (SbufManager, BufferManager): scopes, sections and a heap.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/nki/allocation_log.h"
#include "model/alloc/nki/scope_stack.h"
#include "model/alloc/nki/section_history.h"
#include "model/alloc/nki/stack_errors.h"
#include "model/alloc/nki/stack_statistics.h"
#include "model/alloc/nki/tile.h"
#include "model/alloc/nki/tile_heap.h"
#include "model/hw/target.h"

namespace spillway::nki {

struct StackOptions {
  std::optional<Interval<ByteOffset>> window;  ///< nothing: the target's usable bytes
  bool automatic = false;     ///< cursors move, nothing is pinned, nothing is out of memory
  bool default_heap = false;  ///< `Alloc` takes from the heap
  std::string title = "SBM";  ///< of the log
};

/// What a kernel's allocations came to.
struct StackRecord {
  std::vector<TileAllocation> tiles;       ///< in order, popped ones included
  std::vector<std::string> heap_left;      ///< tiles that nothing popped, the oldest first
  std::vector<SectionOverlap> overlaps;    ///< what needs a dependence check
  std::vector<HeapOverlap> heap_overlaps;  ///< and what does because of the heap
  StackStatistics statistics;
};

/// One window [lower, upper) of every partition: a stack cursor goes up from `lower`, a heap cursor
/// down from `upper`. An operation that fails changes nothing. Errors of tiles are those of
/// `MeasureTile`; every message starts with the prefix of kernel_assert.h.
/// Source: nki_surface.md "User-space allocators", nki_kernels_and_issues.md 3.1 and 3.2.
class StackManager {
 public:
  /// Errors: kOutOfRange "stack-window" (not within the usable bytes of `target`).
  static Result<StackManager> Create(const Target& target, StackOptions options);

  /// Errors: kLimit "interleave-degree" (below 1).
  Result<void> OpenScope(std::int64_t interleave_degree = 1, std::string name = "");
  /// Frees what the scope allocated. Errors: kShape "close-without-scope".
  Result<void> CloseScope();
  /// On to the next section of the innermost scope. Errors: kShape "increment-without-scope",
  /// kCapacity "section-out-of-memory" (the heap has grown over where it would start).
  Result<void> IncrementSection();

  /// Default alignment: the element size, and the target's smallest.
  /// Errors: kMemorySpace "stack-buffer" (not SBUF), kShape "stack-without-scope", kCapacity
  /// "stack-out-of-memory".
  Result<TileAllocation> AllocStack(const TileRequest& request);
  /// Default alignment: 4 bytes, and the target's smallest.
  /// Errors: kMemorySpace "heap-buffer" (not SBUF), kCapacity "heap-out-of-memory".
  Result<TileAllocation> AllocHeap(const TileRequest& request);
  /// Stack or heap, as the options say; a DRAM tensor is recorded and takes nothing of the window.
  Result<TileAllocation> Alloc(const TileRequest& request);
  /// Frees the youngest heap tile and gives it back; the cursor is where it was before that tile.
  /// Errors: kShape "heap-underflow", "heap-pop-order" (the youngest isn't `expected`).
  Result<TileAllocation> PopHeap(std::optional<std::string_view> expected = std::nullopt);

  /// Errors: kMixedAllocation "stack-address-in-automatic-mode".
  Result<ByteOffset> StackAddress() const;
  /// Errors: kMixedAllocation "heap-address-in-automatic-mode".
  Result<ByteOffset> HeapAddress() const;
  /// Errors: kMixedAllocation "align-in-automatic-mode", kMisaligned "stack-cursor-alignment",
  /// kCapacity "stack-cursor-out-of-memory".
  Result<void> AlignStack(Bytes align = Bytes(32));
  /// Moves the stack cursor up to `to`, over bytes that somebody else holds.
  /// Errors: kMixedAllocation "align-in-automatic-mode", kOutOfRange "stack-cursor" (down),
  /// kCapacity "stack-out-of-memory" (past the heap).
  Result<void> SkipStack(ByteOffset to);
  /// Errors: kMixedAllocation "mixed-allocation" once a tile was allocated in the other mode.
  Result<void> SetAutomatic(bool automatic);
  /// In front of the names of tiles from now on.
  void SetNamePrefix(std::string prefix) { prefix_ = std::move(prefix); }

  bool automatic() const { return options_.automatic; }
  Interval<ByteOffset> window() const { return *options_.window; }
  Bytes TotalBytes() const { return window().end - window().begin; }
  /// Between the cursors; negative in automatic mode where more was taken than there is.
  Bytes FreeBytes() const { return heap_.cursor() - scopes_.cursor(); }
  Bytes UsedBytes() const { return TotalBytes() - FreeBytes(); }
  const std::vector<ScopeState>& scopes() const { return scopes_.scopes(); }
  const std::vector<TileAllocation>& tiles() const { return tiles_; }
  const std::vector<SectionOverlap>& overlaps() const { return history_.overlaps(); }
  /// None in automatic mode, where no place is pinned.
  const std::vector<HeapOverlap>& heap_overlaps() const { return history_.heap_overlaps(); }
  const StackStatistics& statistics() const { return ledger_.statistics(); }
  /// The tree of what happened.
  std::string Tree() const { return log_.ToText(options_.title); }
  /// The tree, then the statistics.
  std::string Log() const { return Tree() + statistics().ToText(options_.title); }

  /// What it came to. Errors: kShape "scope-left-open" (names the open scopes).
  Result<StackRecord> Finish() const;

 private:
  StackManager(const Target& target, StackOptions options);

  TileAllocation MakeTile(const TileRequest& request, Bytes bytes, ByteOffset byte,
                          TileRegion region) const;
  StackState State() const;
  Bytes StackBytes() const { return scopes_.cursor() - window().begin; }
  Bytes HeapBytes() const { return window().end - heap_.cursor(); }

  Target target_;
  StackOptions options_;
  std::string prefix_;
  ScopeStack scopes_;
  TileHeap heap_;
  SectionHistory history_;
  TileLedger ledger_;
  AllocationLog log_;
  std::vector<TileAllocation> tiles_;
  bool has_sbuf_tiles_ = false;
};

}  // namespace spillway::nki
