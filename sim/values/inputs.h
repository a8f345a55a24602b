// What a kernel's inputs hold: generated from a seed.
#pragma once

#include <cstdint>

#include "sim/values/tensor_data.h"

namespace spillway {

/// One entry for each tensor of role input or constant, by name.
using Inputs = NamedData;

/// Float types: standard normal times one half. Integer types: uniform in [0, 127], which every
/// integer type holds and which serves as an index or a label.
/// A tensor's bytes depend on the seed, its name, dtype and element count alone: not on other
/// tensors, on order, on threads, or on the C++ library.
/// Errors: kLimit if the inputs together exceed kDataLimit.
Result<Inputs> GenerateInputs(const Kernel& kernel, std::uint64_t seed);

/// The values of one tensor.
TensorData GenerateTensor(const Tensor& tensor, std::uint64_t seed);

}  // namespace spillway
