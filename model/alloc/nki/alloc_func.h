// NKI's allocation functions: what a tensor's `buffer=` may say about where its tiles lie.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "model/alloc/ir/modulo_law.h"
#include "model/hw/engine.h"
#include "model/hw/units.h"

namespace spillway::nki {

/// An author's own placement of one logical block. Gets the block's index (one number a block
/// dimension), the tile's partitions and the tile's bytes a partition; returns (start_partition,
/// byte_addr) for SBUF, (bank_id, start_partition, byte_addr) for PSUM. Whatever else it returns or
/// throws is for `VerifyAllocation` to report.
using TileFunction = std::function<std::vector<std::int64_t>(
    std::span<const std::int64_t> idx, PartitionCount pdim_size, Bytes fdim_size)>;

/// `sbuf.auto_alloc()` and `psum.auto_alloc()`: the compiler places the tensor. A tensor without
/// any assignment is the same.
struct AutoAlloc {
  Space space = Space::kSbuf;
};
/// `sbuf.alloc(func)`.
struct SbufAllocFunc {
  TileFunction func;
};
/// `psum.alloc(func)`.
struct PsumAllocFunc {
  TileFunction func;
};
/// `sbuf.mod_alloc(…)`: the fields for PSUM stay at their defaults.
struct SbufModuloAllocFunc {
  ModuloLaw law;
};
/// `psum.mod_alloc(…)`.
struct PsumModuloAllocFunc {
  ModuloLaw law;
};

/// Source: seed 000 §8.4 and §8.5.
using AllocFunc =
    std::variant<AutoAlloc, SbufAllocFunc, PsumAllocFunc, SbufModuloAllocFunc, PsumModuloAllocFunc>;

/// The memory that the function places tensors in.
Space SpaceOf(const AllocFunc& func);
/// As authors write it, for example "psum.mod_alloc".
std::string_view ApiName(const AllocFunc& func);
/// The law of a modulo allocation; null for the others.
const ModuloLaw* LawOf(const AllocFunc& func);

}  // namespace spillway::nki
