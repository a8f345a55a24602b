#include "model/alloc/nki/stack_errors.h"

#include <fmt/format.h>

#include "model/alloc/nki/kernel_assert.h"
#include "model/alloc/nki/measure_tile.h"

namespace spillway::nki {

std::string ScopePathText(const std::vector<ScopeState>& scopes) {
  std::string text;
  for (const ScopeState& scope : scopes) {
    if (!text.empty()) text += "/";
    text += scope.name.empty() ? "(unnamed)" : scope.name;
  }
  return text;
}

Error WrongBuffer(std::string_view operation, std::string code, const TileRequest& request) {
  return KernelAssert(Kind::kMemorySpace, std::move(code),
                      fmt::format("{} is only supported for SBUF tensors: tile '{}' lies in {}",
                                  operation, request.name, SpaceName(request.space)));
}

Error AutomaticMode(std::string_view operation, std::string code) {
  return KernelAssert(
      Kind::kMixedAllocation, std::move(code),
      fmt::format("{} is not supported in auto-allocation mode: no address is pinned", operation));
}

Error TileOutOfMemory(std::string_view what, std::string code, const TileRequest& request,
                      Bytes bytes, Bytes align, ByteOffset start, const StackState& state) {
  return KernelAssert(
      Kind::kCapacity, std::move(code),
      fmt::format("{} out of memory: tile '{}' {} {} asks for {} B per partition, which aligned to "
                  "{} is [{}, {}); {} B are free, from stack {} to heap {} of the window [{}, {}); "
                  "largest holders: {}; close a scope, pop the heap or take smaller tiles",
                  what, request.name, ShapeText(request.shape), request.dtype, bytes.value,
                  align.value, start.value, (start + bytes).value, (state.heap - state.stack).value,
                  state.stack.value, state.heap.value, state.window.begin.value,
                  state.window.end.value, state.holders));
}

Error SectionOutOfMemory(const std::vector<ScopeState>& scopes, const StackState& state) {
  return KernelAssert(
      Kind::kCapacity, "section-out-of-memory",
      fmt::format("Stack out of memory: section {} of scope '{}' starts at {}, behind its earlier "
                  "sections, where the heap holds [{}, {}); largest holders: {}",
                  scopes.back().section + 1, ScopePathText(scopes), scopes.back().high_water.value,
                  state.heap.value, state.window.end.value, state.holders));
}

Error CursorOutOfMemory(ByteOffset to, const StackState& state) {
  return KernelAssert(
      Kind::kCapacity, "stack-cursor-out-of-memory",
      fmt::format("Stack out of memory: the cursor at {} can't go up to {}, the heap starts at {}; "
                  "largest holders: {}",
                  state.stack.value, to.value, state.heap.value, state.holders));
}

}  // namespace spillway::nki
