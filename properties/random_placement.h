// Places for a kernel's tensors from any bytes: each legal by itself, whatever it destroys.
#pragma once

#include <cstdint>
#include <span>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"

namespace spillway {

/// Every block of every on-chip tensor of `kernel` gets a place: by one byte side by side with the
/// others, or on top of an earlier one, at any start partition that its height allows. On the
/// granule, inside the partition and inside one PSUM bank as long as the tensor fits there. Missing
/// bytes are 0, which means side by side. DRAM tensors get no place.
Placement DecodePlacement(const Kernel& kernel, const Target& target,
                          std::span<const std::uint8_t> bytes);

}  // namespace spillway
