// The tree of scopes, sections and tiles that users of the stack manager read.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/nki/scope_stack.h"
#include "model/alloc/nki/tile.h"

namespace spillway::nki {

/// A line an event, in order. Source: nki_kernels_and_issues.md 3.1 "Log".
class AllocationLog {
 public:
  void Opened(const ScopeState& scope, std::size_t depth);
  void Closed(const ScopeState& scope, Bytes freed, std::size_t depth);
  void Advanced(const ScopeState& scope, ByteOffset cursor, std::size_t depth);
  /// "name: bytes B @ addr shape dtype"; the address is "auto" where none is pinned.
  void Allocated(const TileAllocation& tile, std::size_t depth);
  void Popped(const TileAllocation& tile, std::size_t remaining, std::size_t depth);

  /// "[title] Allocations:" and the tree below it; empty where nothing happened.
  std::string ToText(const std::string& title) const;

 private:
  struct Line {
    std::size_t depth = 0;
    std::string text;
  };
  void Add(std::size_t depth, std::string text) { lines_.push_back({depth, std::move(text)}); }

  std::vector<Line> lines_;
};

}  // namespace spillway::nki
