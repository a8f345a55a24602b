#include "model/alloc/nki/section_history.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

// Hull of the bytes that some tile of both lists takes; empty: none.
Interval<ByteOffset> SharedBytes(const std::vector<SectionTile>& earlier,
                                 const std::vector<SectionTile>& later) {
  Interval<ByteOffset> shared;
  for (const SectionTile& a : earlier) {
    for (const SectionTile& b : later) {
      if (!Overlap(a.place, b.place)) continue;
      const Interval<ByteOffset> both = Intersect(a.place.bytes, b.place.bytes);
      shared = shared.empty() ? both : Hull(shared, both);
    }
  }
  return shared;
}

std::string TextOf(const SectionOverlap& overlap) {
  const auto section = [&](std::int64_t visit) { return visit % overlap.interleave_degree; };
  return fmt::format(
      "scope '{}' [interleave={}]: iteration {} (section {}) at bytes [{}, {}) overlaps iteration "
      "{} (section {}) at bytes [{}, {}) in [{}, {}): sections of unequal size aren't independent; "
      "needs a dependence check",
      overlap.scope, overlap.interleave_degree, overlap.later, section(overlap.later),
      overlap.later_bytes.begin.value, overlap.later_bytes.end.value, overlap.earlier,
      section(overlap.earlier), overlap.earlier_bytes.begin.value, overlap.earlier_bytes.end.value,
      overlap.shared.begin.value, overlap.shared.end.value);
}

std::string TextOf(const HeapOverlap& overlap) {
  const auto tile = [&](const SectionTile& t, std::int64_t visit, std::string_view verb) {
    return fmt::format("{} tile '{}'{} iteration {} (section {}) at bytes [{}, {})",
                       t.region == TileRegion::kHeap ? "heap" : "stack",
                       t.name.empty() ? "(unnamed)" : t.name, verb, visit,
                       visit % overlap.interleave_degree, t.place.bytes.begin.value,
                       t.place.bytes.end.value);
  };
  const bool was_popped = overlap.earlier_tile.region == TileRegion::kHeap;
  return fmt::format(
      "scope '{}' [interleave={}]: {} lies over {} in [{}, {}): through the heap, neighbouring "
      "sections aren't independent; needs a dependence check",
      overlap.scope, overlap.interleave_degree, tile(overlap.later_tile, overlap.later, " of"),
      tile(overlap.earlier_tile, overlap.earlier, was_popped ? " popped in" : " of"),
      overlap.shared.begin.value, overlap.shared.end.value);
}

}  // namespace

void SectionHistory::Open(std::string path, std::int64_t interleave_degree) {
  scopes_.push_back({std::move(path), interleave_degree, {}, {}});
}

void SectionHistory::Add(std::string name, const Rectangle& place) {
  const SectionTile tile{std::move(name), TileRegion::kStack, place};
  for (Scope& scope : scopes_) {
    // A single section has no neighbour that it should be independent of.
    if (scope.interleave_degree == 1) continue;
    for (const Section& earlier : scope.earlier) Compare(scope, earlier, earlier.freed, tile);
    Section& current = scope.current;
    current.hull = current.stack.empty() ? place.bytes : Hull(current.hull, place.bytes);
    current.stack.push_back(tile);
  }
}

void SectionHistory::AddHeap(std::string name, const Rectangle& place) {
  const SectionTile tile{std::move(name), TileRegion::kHeap, place};
  for (const Scope& scope : scopes_) {
    for (const Section& earlier : scope.earlier) {
      if (Overlap(earlier.hull, place.bytes)) Compare(scope, earlier, earlier.stack, tile);
      Compare(scope, earlier, earlier.freed, tile);
    }
  }
}

void SectionHistory::FreeHeap(std::string name, const Rectangle& place) {
  const SectionTile tile{std::move(name), TileRegion::kHeap, place};
  for (Scope& scope : scopes_) {
    if (scope.interleave_degree > 1) scope.current.freed.push_back(tile);
  }
}

void SectionHistory::Compare(const Scope& scope, const Section& earlier,
                             const std::vector<SectionTile>& tiles, const SectionTile& later) {
  // N11: what the heap puts over a section (0), or what a section puts where the heap was (1).
  [[maybe_unused]] const std::size_t missed = later.region == TileRegion::kHeap ? 0 : 1;
  for (const SectionTile& tile : tiles) {
    const bool shares = Overlap(tile.place, later.place);
    if (!SPILLWAY_FAULT(N11, shares, shares && !fault::IsVariant(missed))) continue;
    HeapOverlap overlap{scope.path,
                        scope.interleave_degree,
                        earlier.visit,
                        scope.current.visit,
                        tile,
                        later,
                        Intersect(tile.place.bytes, later.place.bytes),
                        ""};
    overlap.text = TextOf(overlap);
    heap_overlaps_.push_back(std::move(overlap));
  }
}

void SectionHistory::End(Scope& scope) {
  for (const Section& earlier : scope.earlier) {
    if (!Overlap(earlier.hull, scope.current.hull)) continue;
    const Interval<ByteOffset> shared = SharedBytes(earlier.stack, scope.current.stack);
    if (SPILLWAY_FAULT(N7, shared.empty(), true)) continue;
    overlaps_.push_back({scope.path, scope.interleave_degree, earlier.visit, scope.current.visit,
                         earlier.hull, scope.current.hull, shared, ""});
    overlaps_.back().text = TextOf(overlaps_.back());
  }
  const std::int64_t next = scope.current.visit + 1;
  if (scope.interleave_degree > 1) scope.earlier.push_back(std::move(scope.current));
  if (static_cast<std::int64_t>(scope.earlier.size()) >= scope.interleave_degree)
    scope.earlier.pop_front();
  scope.current = {next, {}, {}, {}};
}

void SectionHistory::Advance() {
  SPILLWAY_CHECK(!scopes_.empty(), "a scope is open");
  End(scopes_.back());
}

void SectionHistory::Close() {
  SPILLWAY_CHECK(!scopes_.empty(), "a scope is open");
  End(scopes_.back());
  scopes_.pop_back();
}

}  // namespace spillway::nki
