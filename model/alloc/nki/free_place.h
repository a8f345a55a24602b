// Where a tensor that lies on another one's bytes could lie instead.
#pragma once

#include <optional>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"

namespace spillway::nki {

/// A place for all tiles of a tensor, as they lie among each other now.
struct FreePlace {
  TensorId tensor;
  Address at;                  ///< of its first block
  Interval<ByteOffset> bytes;  ///< of all blocks; PSUM: in the window of banks
};

/// The bytes that all blocks of a tensor take from the lowest to the highest.
Interval<ByteOffset> BytesOfAll(const Tensor& tensor, const std::vector<Address>& addresses);

/// The usable bytes of the tensor's memory: of a partition of SBUF, of all banks of PSUM.
Bytes WindowOf(const Target& target, Space space);

struct FreePlaceSearch {
  std::optional<FreePlace> place;
  bool complete = true;  ///< false: the memory holds too many tiles to look through
};

/// The lowest place on the tensor's own partitions, in whole elements (PSUM: whole banks further up
/// or down), on which no other placed tensor is alive at any point at which `tensor` is. The tensor
/// must be placed on chip.
FreePlaceSearch FindFreePlace(const LinearKernel& linear, const Placement& placement,
                              const Target& target, TensorId tensor);

}  // namespace spillway::nki
