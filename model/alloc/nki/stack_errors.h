// The errors of the stack manager that have more to say than a sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/nki/scope_stack.h"
#include "model/alloc/nki/tile.h"
#include "model/hw/error.h"

namespace spillway::nki {

/// What an error about memory tells of the manager.
struct StackState {
  Interval<ByteOffset> window;
  ByteOffset stack;     ///< the stack cursor
  ByteOffset heap;      ///< the heap cursor
  std::string holders;  ///< the largest tiles
};

/// "outer/inner", "(unnamed)" for scopes without a name.
std::string ScopePathText(const std::vector<ScopeState>& scopes);

/// kMemorySpace: `operation` was asked for a tile that isn't in SBUF.
Error WrongBuffer(std::string_view operation, std::string code, const TileRequest& request);
/// kMixedAllocation: `operation` asks for an address where none is pinned.
Error AutomaticMode(std::string_view operation, std::string code);
/// kCapacity: `what` ("Stack", "Heap") has no room for the tile, which would start at `start`.
Error TileOutOfMemory(std::string_view what, std::string code, const TileRequest& request,
                      Bytes bytes, Bytes align, ByteOffset start, const StackState& state);
/// kCapacity: the next section of the innermost scope would start in the heap.
Error SectionOutOfMemory(const std::vector<ScopeState>& scopes, const StackState& state);
/// kCapacity: the stack cursor can't go up to `to`.
Error CursorOutOfMemory(ByteOffset to, const StackState& state);

}  // namespace spillway::nki
