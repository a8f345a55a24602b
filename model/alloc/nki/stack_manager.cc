#include "model/alloc/nki/stack_manager.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/nki/kernel_assert.h"
#include "model/alloc/nki/measure_tile.h"
#include "model/alloc/nki/stack_errors.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

constexpr std::size_t kNamedHolders = 3;

Rectangle PlaceOf(const TileAllocation& tile, const Address& base) {
  return {{base.partition, base.partition + PartitionCount(tile.shape.front())},
          {base.byte, base.byte + tile.bytes}};
}

}  // namespace

StackManager::StackManager(const Target& target, StackOptions options)
    : target_(target),
      options_(std::move(options)),
      scopes_(options_.window->begin),
      heap_(options_.window->end),
      ledger_(options_.window->end - options_.window->begin, target.sbuf_partitions) {}

Result<StackManager> StackManager::Create(const Target& target, StackOptions options) {
  const Interval<ByteOffset> usable{ByteOffset(0), ByteOffset(0) + target.sbuf_usable_bytes.value};
  const Interval<ByteOffset> window = options.window.value_or(usable);
  if (window.begin < usable.begin || window.end > usable.end || window.end < window.begin) {
    return Fail(KernelAssert(
        Kind::kOutOfRange, "stack-window",
        fmt::format(
            "the window [{}, {}) isn't within the usable bytes [0, {}) of a partition of {}",
            window.begin.value, window.end.value, usable.end.value, target.name)));
  }
  options.window = window;
  return StackManager(target, std::move(options));
}

Result<void> StackManager::OpenScope(std::int64_t interleave_degree, std::string name) {
  if (interleave_degree < 1) {
    return Fail(KernelAssert(Kind::kLimit, "interleave-degree",
                             fmt::format("scope '{}' has an interleave degree of {}, expected at "
                                         "least 1",
                                         name, interleave_degree)));
  }
  scopes_.Open(std::move(name), interleave_degree);
  history_.Open(ScopePathText(scopes_.scopes()), interleave_degree);
  log_.Opened(scopes_.scopes().back(), scopes_.scopes().size() - 1);
  return {};
}

Result<void> StackManager::CloseScope() {
  if (scopes_.scopes().empty()) {
    return Fail(KernelAssert(Kind::kShape, "close-without-scope",
                             "Cannot close a scope without an open scope"));
  }
  const ScopeState closed = scopes_.scopes().back();
  const Bytes freed = scopes_.cursor() - closed.begin;
  scopes_.Close();
  history_.Close();
  ledger_.LowerStack(scopes_.cursor());
  log_.Closed(closed, freed, scopes_.scopes().size());
  return {};
}

Result<void> StackManager::IncrementSection() {
  if (scopes_.scopes().empty()) {
    return Fail(KernelAssert(Kind::kShape, "increment-without-scope",
                             "Cannot increment the section without an open scope"));
  }
  const ScopeState& scope = scopes_.scopes().back();
  // The mark is the end of tiles that fitted, but where a sub-scope has closed, the heap may have
  // grown down over it since.
  if (!options_.automatic && scope.section + 1 < scope.interleave_degree &&
      scope.high_water > heap_.cursor()) {
    return Fail(SectionOutOfMemory(scopes_.scopes(), State()));
  }
  scopes_.Increment();
  history_.Advance();
  ledger_.LowerStack(scopes_.cursor());
  ledger_.Moved(StackBytes(), HeapBytes());
  log_.Advanced(scopes_.scopes().back(), scopes_.cursor(), scopes_.scopes().size());
  return {};
}

TileAllocation StackManager::MakeTile(const TileRequest& request, Bytes bytes, ByteOffset byte,
                                      TileRegion region) const {
  TileAllocation tile;
  tile.name = request.name.empty() ? "" : prefix_ + request.name;
  tile.shape = request.shape;
  tile.dtype = request.dtype;
  tile.bytes = bytes;
  if (region != TileRegion::kDram && !options_.automatic)
    tile.address = Address{request.base_partition, byte};
  tile.region = region;
  tile.scopes = scopes_.Path();
  return tile;
}

StackState StackManager::State() const {
  return {window(), scopes_.cursor(), heap_.cursor(), ledger_.LargestHolders(kNamedHolders)};
}

Result<TileAllocation> StackManager::AllocStack(const TileRequest& request) {
  if (request.space != Space::kSbuf)
    return Fail(WrongBuffer("alloc_stack", "stack-buffer", request));
  const Result<TileMeasure> measure = MeasureTile(request, target_);
  if (!measure) return Fail(measure.error());
  if (scopes_.scopes().empty()) {
    return Fail(KernelAssert(
        Kind::kShape, "stack-without-scope",
        fmt::format("Cannot allocate in stack without an open scope: tile '{}'", request.name)));
  }
  const Bytes align =
      request.align.value_or(RoundUp(measure->element, target_.sbuf_min_align.value));
  const ByteOffset start = scopes_.Aligned(align);
  // What alignment adds counts: the tile ends where its aligned start says.
  const ByteOffset end = SPILLWAY_FAULT(N1, start, scopes_.cursor()) + measure->bytes;
  const ByteOffset limit =
      SPILLWAY_FAULT(N6, heap_.cursor(), fault::IsVariant(0) ? window().end : heap_.cursor());
  if (!options_.automatic && end > limit)
    return Fail(TileOutOfMemory("Stack", "stack-out-of-memory", request, measure->bytes, align,
                                start, State()));
  scopes_.Take(start, measure->bytes);
  TileAllocation tile = MakeTile(request, measure->bytes, start, TileRegion::kStack);
  const Address base{request.base_partition, start};
  history_.Add(tile.name, PlaceOf(tile, base));
  ledger_.Add(tile, base, StackBytes(), HeapBytes());
  log_.Allocated(tile, scopes_.scopes().size());
  tiles_.push_back(tile);
  has_sbuf_tiles_ = true;
  return tile;
}

Result<TileAllocation> StackManager::AllocHeap(const TileRequest& request) {
  if (request.space != Space::kSbuf) return Fail(WrongBuffer("alloc_heap", "heap-buffer", request));
  const Result<TileMeasure> measure = MeasureTile(request, target_);
  if (!measure) return Fail(measure.error());
  const Bytes align = request.align.value_or(RoundUp(kHeapAlignment, target_.sbuf_min_align.value));
  const ByteOffset base = heap_.BaseOf(measure->bytes, align);
  const ByteOffset limit =
      SPILLWAY_FAULT(N6, scopes_.cursor(), fault::IsVariant(1) ? window().begin : scopes_.cursor());
  if (!options_.automatic && base < limit)
    return Fail(TileOutOfMemory("Heap", "heap-out-of-memory", request, measure->bytes, align, base,
                                State()));
  TileAllocation tile = MakeTile(request, measure->bytes, base, TileRegion::kHeap);
  heap_.Push(tile, base);
  const Address place{request.base_partition, base};
  // Without pinned places the cursors may cross, which means nothing.
  if (!options_.automatic) history_.AddHeap(tile.name, PlaceOf(tile, place));
  ledger_.Add(tile, place, StackBytes(), HeapBytes());
  log_.Allocated(tile, scopes_.scopes().size());
  tiles_.push_back(tile);
  has_sbuf_tiles_ = true;
  return tile;
}

Result<TileAllocation> StackManager::Alloc(const TileRequest& request) {
  if (request.space == Space::kDram) {
    // No dimension of a DRAM tensor stands for partitions.
    TileRequest row = request;
    row.shape.insert(row.shape.begin(), 1);
    const Result<Bytes> bytes = MeasureRow(row);
    if (!bytes) return Fail(bytes.error());
    tiles_.push_back(MakeTile(request, *bytes, ByteOffset(0), TileRegion::kDram));
    return tiles_.back();
  }
  return options_.default_heap ? AllocHeap(request) : AllocStack(request);
}

Result<TileAllocation> StackManager::PopHeap(std::optional<std::string_view> expected) {
  if (heap_.tiles().empty()) {
    return Fail(
        KernelAssert(Kind::kShape, "heap-underflow", "Heap underflow: pop called on empty heap"));
  }
  const std::string& youngest = heap_.tiles().back().name;
  if (expected && *expected != youngest) {
    std::string holds;
    for (const TileAllocation& tile : heap_.tiles())
      holds += fmt::format("{}'{}'", holds.empty() ? "" : ", ", tile.name);
    return Fail(KernelAssert(
        Kind::kShape, "heap-pop-order",
        fmt::format("the heap frees last in first out: expected to pop '{}', found '{}'; the heap "
                    "holds {}, the oldest first",
                    *expected, youngest, holds)));
  }
  const TileAllocation tile = heap_.Pop();
  if (tile.address) history_.FreeHeap(tile.name, PlaceOf(tile, *tile.address));
  ledger_.PopHeap();
  log_.Popped(tile, heap_.tiles().size(), scopes_.scopes().size());
  return tile;
}

Result<ByteOffset> StackManager::StackAddress() const {
  if (options_.automatic)
    return Fail(AutomaticMode("get_stack_curr_addr()", "stack-address-in-automatic-mode"));
  return scopes_.cursor();
}

Result<ByteOffset> StackManager::HeapAddress() const {
  if (options_.automatic)
    return Fail(AutomaticMode("get_heap_curr_addr()", "heap-address-in-automatic-mode"));
  return heap_.cursor();
}

Result<void> StackManager::AlignStack(Bytes align) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (align.value < 1 || align.value > kMost) {
    return Fail(
        KernelAssert(Kind::kMisaligned, "stack-cursor-alignment",
                     fmt::format("the stack cursor can't be aligned to {} bytes", align.value)));
  }
  return SkipStack(scopes_.Aligned(align));
}

Result<void> StackManager::SkipStack(ByteOffset to) {
  if (options_.automatic)
    return Fail(AutomaticMode("align_stack_curr_addr()", "align-in-automatic-mode"));
  if (to < scopes_.cursor()) {
    return Fail(KernelAssert(Kind::kOutOfRange, "stack-cursor",
                             fmt::format("the stack cursor goes up only: from {} to {}",
                                         scopes_.cursor().value, to.value)));
  }
  if (to > heap_.cursor()) return Fail(CursorOutOfMemory(to, State()));
  scopes_.Skip(to);
  ledger_.Moved(StackBytes(), HeapBytes());
  return {};
}

Result<void> StackManager::SetAutomatic(bool automatic) {
  if (automatic == options_.automatic) return {};
  if (SPILLWAY_FAULT(N10, has_sbuf_tiles_, false)) {
    return Fail(KernelAssert(
        Kind::kMixedAllocation, "mixed-allocation",
        fmt::format("{} tiles were allocated {}; the rest of the window can't be allocated {}: "
                    "automatic and direct allocation don't mix in one space",
                    tiles_.size(), automatic ? "directly" : "automatically",
                    automatic ? "automatically" : "directly")));
  }
  options_.automatic = automatic;
  return {};
}

Result<StackRecord> StackManager::Finish() const {
  if (!scopes_.scopes().empty()) {
    return Fail(KernelAssert(
        Kind::kShape, "scope-left-open",
        fmt::format("{} scopes are open at the end: '{}'; each open_scope needs a close_scope",
                    scopes_.scopes().size(), ScopePathText(scopes_.scopes()))));
  }
  StackRecord record{tiles_, {}, overlaps(), heap_overlaps(), statistics()};
  for (const TileAllocation& tile : heap_.tiles()) record.heap_left.push_back(tile.name);
  return record;
}

}  // namespace spillway::nki
