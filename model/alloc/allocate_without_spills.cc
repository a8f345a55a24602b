#include "model/alloc/allocate_without_spills.h"

#include <utility>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/without_places.h"
#include "model/alloc/place_homes.h"

namespace spillway {

Result<Allocation> AllocateWithoutSpills(const Kernel& kernel, const Target& target,
                                         const AllocateOptions& options,
                                         const PlaceTensors& place) {
  Kernel wanted = options.reallocate ? WithoutPlaces(kernel) : kernel;
  const OnChipRoom room{options.sbuf_bytes.value_or(target.sbuf_usable_bytes),
                        options.psum_banks.value_or(UsablePsumBanks(target))};
  Result<PlacedTensors> placed = place(Linearize(wanted), FixedPlacement(wanted), room);
  if (!placed) return Fail(placed.error());
  for (Tensor& tensor : placed->added) wanted.tensors.push_back(std::move(tensor));
  return AllocateHomes(wanted, placed->placement, target);
}

}  // namespace spillway
