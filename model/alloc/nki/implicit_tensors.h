// Instructions that need tensors which the kernel doesn't declare.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// A violation for every instruction that brings an implicit tensor: an activation without a bias
/// tensor, a transpose or an untransposed matmul on the Tensor engine, an operation of
/// nki.language with temporaries of its own.
/// Source: isa_costs.md 4.2 and 4.3.
std::vector<Violation> FindImplicitTensors(const Kernel& kernel);

}  // namespace spillway::nki
