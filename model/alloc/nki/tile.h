// What a kernel asks a user-space allocator for, and what it gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway::nki {

/// A tile that a kernel wants. `shape` is [partitions, free dimensions…].
struct TileRequest {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string dtype = "float32";  ///< NKI's name, packed kinds included
  Space space = Space::kSbuf;
  Partition base_partition;
  std::optional<Bytes> align;  ///< of the address; nothing: the allocator's default
};

enum class TileRegion { kStack, kHeap, kDram };

/// A scope that was open, and where in it the tile lies.
struct ScopeStep {
  std::string name;          ///< empty where the kernel gave none
  std::int64_t section = 0;  ///< 0 … interleave degree - 1
  std::int64_t visit = 0;    ///< sections entered before this one, since the scope opened
  friend bool operator==(const ScopeStep&, const ScopeStep&) = default;
};

/// A tile as it was allocated: enough to give a kernel's tensor its `at`.
struct TileAllocation {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string dtype;
  Bytes bytes;                     ///< per partition; in DRAM: all of it
  std::optional<Address> address;  ///< nothing in automatic mode, and in DRAM
  TileRegion region = TileRegion::kStack;
  std::vector<ScopeStep> scopes;  ///< outermost first

  friend bool operator==(const TileAllocation&, const TileAllocation&) = default;
};

}  // namespace spillway::nki
