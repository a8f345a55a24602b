// Where every tensor lies: what an allocator returns and a checker judges.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// One address a block (row-major), for every tensor that has a place; an empty list for those
/// that need none (DRAM inputs and outputs, tensors without an access).
struct Placement {
  IdVector<TensorId, std::vector<Address>> addresses;

  friend bool operator==(const Placement&, const Placement&) = default;
};

/// The placement that the kernel's own `at` keys give; empty lists elsewhere.
Placement FixedPlacement(const Kernel& kernel);

/// `kernel` with every placed SBUF and PSUM tensor's `at` filled in.
Kernel WithPlacement(Kernel kernel, const Placement& placement);

/// Partitions x bytes of a block placed at `address` (SBUF, PSUM).
Rectangle RectangleOf(const Tensor& tensor, const Address& address);

}  // namespace spillway
