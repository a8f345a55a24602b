#include "properties/modulo_placement.h"

#include <algorithm>

#include "model/hw/fault.h"

namespace spillway {

ModuloPlacement PlaceModulo(const Tensor& tensor, ByteOffset base, std::int64_t depth,
                            Bytes granule) {
  ModuloPlacement placement{Partition(0), base, depth, RoundUp(BlockBytes(tensor), granule)};
  if (SPILLWAY_FAULT(B22, false, fault::variant == 2)) placement.stride = BlockBytes(tensor);
  return placement;
}

std::vector<Address> AddressesOf(const ModuloPlacement& placement, const Tensor& tensor) {
  const std::int64_t depth =
      SPILLWAY_FAULT(B22, placement.depth,
                     std::max<std::int64_t>(placement.depth - (fault::variant == 0 ? 1 : 0), 1));
  const std::int64_t shift = SPILLWAY_FAULT(B22, 0, fault::variant == 1 ? 1 : 0);
  std::vector<Address> addresses;
  for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
    const std::int64_t slot = block % depth + shift;
    addresses.push_back({placement.partition, placement.base + placement.stride * slot});
  }
  return addresses;
}

ByteOffset EndOf(const ModuloPlacement& placement) {
  return placement.base + placement.stride * placement.depth;
}

std::int64_t DepthFor(std::int64_t skew) {
  return SPILLWAY_FAULT(B23, skew + 1, std::max<std::int64_t>(skew, 1));
}

}  // namespace spillway
