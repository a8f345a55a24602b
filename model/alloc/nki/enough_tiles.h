// What a ring with too few tiles would have to become, and whether there is room for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/nki/required_tiles.h"
#include "model/hw/target.h"

namespace spillway::nki {

/// A ring of `counts` tiles from the same base on.
struct EnoughTiles {
  TileCounts counts;
  ModuloLaw law;               ///< that gives these places
  Interval<ByteOffset> bytes;  ///< that they take in each partition (PSUM: in the window of banks)
  Bytes limit;                 ///< usable bytes of that memory
  /// Tensors that the larger ring would clobber, or that would clobber it: they have to move.
  std::vector<std::string> in_the_way;
  bool is_proven = true;  ///< false: the walk that looks for them reached its limit

  bool fits() const { return bytes.end.value <= limit.value; }
};

/// The places of `counts` tiles for `tensor`, looked at by a walk of the kernel with the ring in
/// them. Nothing where the law can't be evaluated, or where a walk still finds too few tiles.
std::optional<EnoughTiles> PlaceEnoughTiles(const Kernel& kernel, const Placement& placement,
                                            const Target& target, TensorId tensor,
                                            const TileCounts& counts,
                                            std::int64_t max_steps = kMaxTileSteps);

/// Physical tiles: distinct addresses of the tensor's blocks.
std::int64_t TilesThere(const std::vector<Address>& addresses);

}  // namespace spillway::nki
