#include "model/alloc/nki/scope_stack.h"

#include <algorithm>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway::nki {

std::vector<ScopeStep> ScopeStack::Path() const {
  std::vector<ScopeStep> path;
  for (const ScopeState& scope : scopes_) path.push_back({scope.name, scope.section, scope.visit});
  return path;
}

ByteOffset ScopeStack::Aligned(Bytes align) const {
  return ByteOffset(RoundUp(cursor_.value, align.value));
}

void ScopeStack::Open(std::string name, std::int64_t interleave_degree) {
  SPILLWAY_CHECK(interleave_degree >= 1, "a scope has a section");
  scopes_.push_back({std::move(name), cursor_, interleave_degree, 0, 0, cursor_});
}

void ScopeStack::Close() {
  SPILLWAY_CHECK(!scopes_.empty(), "a scope is open");
  const ScopeState closed = std::move(scopes_.back());
  scopes_.pop_back();
  cursor_ = closed.begin;
  if (scopes_.empty()) return;
  ScopeState& parent = scopes_.back();
  // What the closed scope held belongs to the parent's section, though its bytes are free again.
  parent.high_water = SPILLWAY_FAULT(
      N5, std::max(parent.high_water, closed.high_water),
      fault::IsVariant(1) ? parent.high_water : std::max(parent.high_water, closed.high_water));
}

void ScopeStack::Increment() {
  SPILLWAY_CHECK(!scopes_.empty(), "a scope is open");
  ScopeState& scope = scopes_.back();
  ++scope.visit;
  if (++scope.section < scope.interleave_degree) {
    cursor_ =
        SPILLWAY_FAULT(N5, scope.high_water, fault::IsVariant(0) ? cursor_ : scope.high_water);
    return;
  }
  scope.section = 0;
  cursor_ = scope.begin;
  // The mark starts anew with section 0, so the parent must learn of it before it is lost.
  if (scopes_.size() > 1) {
    ScopeState& parent = scopes_[scopes_.size() - 2];
    parent.high_water = SPILLWAY_FAULT(
        N5, std::max(parent.high_water, scope.high_water),
        fault::IsVariant(2) ? parent.high_water : std::max(parent.high_water, scope.high_water));
  }
  scope.high_water = scope.begin;
}

void ScopeStack::Take(ByteOffset start, Bytes bytes) {
  SPILLWAY_CHECK(!scopes_.empty() && start >= cursor_, "a tile lies above the cursor, in a scope");
  cursor_ = start + bytes;
  scopes_.back().high_water = std::max(scopes_.back().high_water, cursor_);
}

void ScopeStack::Skip(ByteOffset to) {
  SPILLWAY_CHECK(to >= cursor_, "the cursor skips upwards");
  cursor_ = to;
}

}  // namespace spillway::nki
