// Modulo allocation, evaluated.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"

namespace spillway {

/// Where `law` puts each block of `tensor` (SBUF or PSUM), row-major over the blocks; what the
/// hardware allows isn't looked at.
/// Errors: kShape, alloc-tile-counts (a list of counts that is neither empty nor as long as the
/// tensor's blocks, or a count below 1); kLimit, alloc-address-too-large (a partition or byte
/// beyond 2^40).
Result<std::vector<Address>> EvaluateModuloLaw(const Tensor& tensor, const ModuloLaw& law);

/// Whether the tensor's addresses are those of its law: false without a law, and once something
/// else placed the tensor.
bool FollowsModuloLaw(const Tensor& tensor);

}  // namespace spillway
