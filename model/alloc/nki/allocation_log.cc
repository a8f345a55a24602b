#include "model/alloc/nki/allocation_log.h"

#include <fmt/format.h>

#include "model/alloc/nki/measure_tile.h"

namespace spillway::nki {
namespace {

std::string NameOf(const std::string& name) { return name.empty() ? "(unnamed)" : name; }
std::string ScopeName(const ScopeState& scope) {
  return scope.name.empty() ? "(unnamed)" : fmt::format("'{}'", scope.name);
}

}  // namespace

void AllocationLog::Opened(const ScopeState& scope, std::size_t depth) {
  Add(depth, fmt::format("▶ SCOPE {} [interleave={}] @ {}", ScopeName(scope),
                         scope.interleave_degree, scope.begin.value));
}

void AllocationLog::Closed(const ScopeState& scope, Bytes freed, std::size_t depth) {
  Add(depth, fmt::format("◀ END {} freed={} B", ScopeName(scope), freed.value));
}

void AllocationLog::Advanced(const ScopeState& scope, ByteOffset cursor, std::size_t depth) {
  Add(depth, fmt::format("{} section: {}/{} @ {}", scope.section == 0 ? "↻" : "↳", scope.section,
                         scope.interleave_degree, cursor.value));
}

void AllocationLog::Allocated(const TileAllocation& tile, std::size_t depth) {
  const std::string at = tile.address ? fmt::format("{}", tile.address->byte.value) : "auto";
  Add(depth,
      fmt::format("{}{}: {} B @ {} {} {}", tile.region == TileRegion::kHeap ? "[HEAP+] " : "",
                  NameOf(tile.name), tile.bytes.value, at, ShapeText(tile.shape), tile.dtype));
}

void AllocationLog::Popped(const TileAllocation& tile, std::size_t remaining, std::size_t depth) {
  Add(depth, fmt::format("[HEAP-] FREE {}: {} B, remaining={}", NameOf(tile.name), tile.bytes.value,
                         remaining));
}

std::string AllocationLog::ToText(const std::string& title) const {
  // From the end: a line is the last of its branch unless one of its depth follows before a
  // shallower one does.
  std::vector<bool> is_last(lines_.size());
  std::vector<bool> follows;
  for (std::size_t i = lines_.size(); i-- > 0;) {
    const std::size_t depth = lines_[i].depth;
    if (follows.size() <= depth) follows.resize(depth + 1, false);
    is_last[i] = !follows[depth];
    follows.resize(depth + 1);
    follows[depth] = true;
  }
  if (lines_.empty()) return "";
  std::string text = fmt::format("[{}] Allocations:\n", title);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    text += "    ";
    for (std::size_t d = 1; d < lines_[i].depth; ++d) text += "│   ";
    if (lines_[i].depth > 0) text += is_last[i] ? "└── " : "├── ";
    text += lines_[i].text + "\n";
  }
  return text;
}

}  // namespace spillway::nki
