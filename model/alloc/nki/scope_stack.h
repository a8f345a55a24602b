// The cursor of a stack allocator with its scopes and their interleaved sections.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/alloc/nki/tile.h"

namespace spillway::nki {

struct ScopeState {
  std::string name;
  ByteOffset begin;
  std::int64_t interleave_degree = 1;
  std::int64_t section = 0;
  std::int64_t visit = 0;  ///< sections entered since the scope opened; section = visit mod degree
  /// End of everything that this scope's sections hold since section 0, closed sub-scopes included.
  /// The library calls it min_independent_addr.
  ByteOffset high_water;
};

/// The cursor goes up with every tile and back with every scope that closes. Section 0 of a scope
/// starts where the scope does, every later one at the scope's high-water mark; after the last the
/// next is section 0 again. Misuse (closing or incrementing without an open scope) is the caller's
/// to refuse and throws ContractViolation here.
/// Source: nki_surface.md "User-space allocators", nki_kernels_and_issues.md 3.1.
class ScopeStack {
 public:
  explicit ScopeStack(ByteOffset lower) : cursor_(lower) {}

  ByteOffset cursor() const { return cursor_; }
  const std::vector<ScopeState>& scopes() const { return scopes_; }
  std::vector<ScopeStep> Path() const;

  /// The lowest multiple of `align` at or above the cursor.
  ByteOffset Aligned(Bytes align) const;

  void Open(std::string name, std::int64_t interleave_degree);
  void Close();
  void Increment();
  /// Moves the cursor behind a tile at `start`, which isn't below the cursor.
  void Take(ByteOffset start, Bytes bytes);
  /// Moves the cursor up without a tile.
  void Skip(ByteOffset to);

 private:
  ByteOffset cursor_;
  std::vector<ScopeState> scopes_;
};

}  // namespace spillway::nki
