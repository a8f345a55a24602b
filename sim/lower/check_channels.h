// Whether a target's engines are as wide as a kernel's instructions.
#pragma once

#include <optional>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"
#include "model/hw/target.h"

namespace spillway {

/// Nothing if every instruction of Scalar, Vector and GpSimd works on no more partitions than the
/// target's engines have channels, else kPartitionRange ("too-few-channels") with the first that
/// doesn't.
/// Source: hwm_and_geometry §1: half-width engines on inf1.
std::optional<Error> CheckChannels(const Kernel& kernel, const Target& target);

}  // namespace spillway
