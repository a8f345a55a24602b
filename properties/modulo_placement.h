// Rotating buffers by the address law of modular allocation.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Blocks of one tensor that take turns in `depth` slots, one behind the other.
struct ModuloPlacement {
  Partition partition;
  ByteOffset base;
  std::int64_t depth = 1;  ///< slots
  Bytes stride;            ///< from slot to slot
};

/// Slots for blocks of `tensor` from `base` on, each rounded up to `granule`.
ModuloPlacement PlaceModulo(const Tensor& tensor, ByteOffset base, std::int64_t depth,
                            Bytes granule);

/// Where each block lies, row-major over the blocks: base + (i % depth) * stride.
/// Source: NKI's modular allocator.
std::vector<Address> AddressesOf(const ModuloPlacement& placement, const Tensor& tensor);

/// First byte behind all slots.
ByteOffset EndOf(const ModuloPlacement& placement);

/// Slots that a loop needs which writes block i and reads block i - `skew` in one iteration: the
/// one that is written and those that still wait for their reader.
std::int64_t DepthFor(std::int64_t skew);

}  // namespace spillway
