#include "model/alloc/nki/enough_tiles.h"

#include <algorithm>
#include <set>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/nki/free_place.h"
#include "model/alloc/nki/tile_lifetimes.h"

namespace spillway::nki {

std::optional<EnoughTiles> PlaceEnoughTiles(const Kernel& kernel, const Placement& placement,
                                            const Target& target, TensorId tensor,
                                            const TileCounts& counts, std::int64_t max_steps) {
  const Tensor& ring = kernel.tensors[tensor];
  EnoughTiles enough;
  enough.counts = counts;
  enough.law = LawOf(ring, placement.addresses[tensor]);
  GrowingList(enough.law, ring.space) = counts.counts;
  const Result<std::vector<Address>> addresses = EvaluateModuloLaw(ring, enough.law);
  if (!addresses || addresses->empty()) return std::nullopt;
  enough.bytes = BytesOfAll(ring, *addresses);
  enough.limit = WindowOf(target, ring.space);

  Placement larger = placement;
  larger.addresses[tensor] = *addresses;
  const TileLifetimes lifetimes = FindTileFaults(kernel, larger, max_steps);
  enough.is_proven = lifetimes.complete;
  std::set<TensorId> others;
  for (const TileFault& fault : lifetimes.faults) {
    if (fault.kind == TileFaultKind::kTooFewTiles && fault.read.tensor == tensor)
      return std::nullopt;
    if (fault.kind != TileFaultKind::kOverlap || !fault.clobber) continue;
    if (fault.read.tensor == tensor) others.insert(fault.clobber->tensor);
    if (fault.clobber->tensor == tensor) others.insert(fault.read.tensor);
  }
  for (const TensorId other : others) enough.in_the_way.push_back(kernel.tensors[other].name);
  return enough;
}

std::int64_t TilesThere(const std::vector<Address>& addresses) {
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (const Address& address : addresses)
    places.emplace(address.partition.value, address.byte.value);
  return static_cast<std::int64_t>(places.size());
}

}  // namespace spillway::nki
