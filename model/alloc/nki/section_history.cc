#include "model/alloc/nki/section_history.h"

#include <fmt/format.h>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

// Hull of the bytes that some tile of both lists takes; empty: none.
Interval<ByteOffset> SharedBytes(const std::vector<Rectangle>& earlier,
                                 const std::vector<Rectangle>& later) {
  Interval<ByteOffset> shared;
  for (const Rectangle& a : earlier) {
    for (const Rectangle& b : later) {
      if (!Overlap(a, b)) continue;
      const Interval<ByteOffset> both = Intersect(a.bytes, b.bytes);
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

}  // namespace

void SectionHistory::Open(std::string path, std::int64_t interleave_degree) {
  scopes_.push_back({std::move(path), interleave_degree, {}, {}});
}

void SectionHistory::Add(const Rectangle& tile) {
  for (Scope& scope : scopes_) {
    // A single section has no neighbour that it should be independent of.
    if (scope.interleave_degree == 1) continue;
    Section& current = scope.current;
    current.hull = current.tiles.empty() ? tile.bytes : Hull(current.hull, tile.bytes);
    current.tiles.push_back(tile);
  }
}

void SectionHistory::End(Scope& scope) {
  for (const Section& earlier : scope.earlier) {
    if (!Overlap(earlier.hull, scope.current.hull)) continue;
    const Interval<ByteOffset> shared = SharedBytes(earlier.tiles, scope.current.tiles);
    if (SPILLWAY_FAULT(N7, shared.empty(), true)) continue;
    overlaps_.push_back({scope.path, scope.interleave_degree, earlier.visit, scope.current.visit,
                         earlier.hull, scope.current.hull, shared, ""});
    overlaps_.back().text = TextOf(overlaps_.back());
  }
  const std::int64_t next = scope.current.visit + 1;
  if (scope.interleave_degree > 1) scope.earlier.push_back(std::move(scope.current));
  if (static_cast<std::int64_t>(scope.earlier.size()) >= scope.interleave_degree)
    scope.earlier.pop_front();
  scope.current = {next, {}, {}};
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
