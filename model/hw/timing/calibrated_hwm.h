// The oracle of the published costs.
#pragma once

#include <memory>

#include "model/hw/hwm.h"

namespace spillway {

/// Prices straight from the calibrated rows, without a machine. An access to SBUF or PSUM is the
/// start of an access and an element a cycle of Vector; one to DRAM, and a DMA instruction, is the
/// start latency and the largest engine's share of descriptors; a compute instruction is its row of
/// the cost table. Semaphores don't count.
/// Source: isa_costs §3.1 to §3.4, §7.2.
std::unique_ptr<Hwm> MakeCalibratedHwm(const Target& target);

}  // namespace spillway
