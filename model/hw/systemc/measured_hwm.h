// The oracle that asks the machine: what the allocators use unless told otherwise.
#pragma once

#include <filesystem>
#include <memory>

#include "model/hw/error.h"
#include "model/hw/hwm.h"

namespace spillway {

/// Answers from probes of the SystemC machine: one access, one DMA, one instruction of each kind,
/// by size, rows and layout; within 1 % of a probe between the measured sizes. Measuring takes
/// milliseconds and happens once per target and process; the tables are kept in
/// DefaultCacheDirectory() and come out the same with and without the file. A query looks up and
/// interpolates: it allocates nothing, locks nothing and never reaches the machine.
/// Where a dependent is on another engine or a DMA is involved, the way of the semaphore counts:
/// it is the writeDrain of an instruction and part of an access to DRAM. An access to SBUF or PSUM
/// is followed by the same engine and has none.
/// Errors: kLimit "target-exceeds-machine" for more DMA queues or engines than the machine has.
Result<std::unique_ptr<Hwm>> MakeMeasuredHwm(const Target& target);

/// The same with the cache in `directory`, or without one if empty; nothing is kept in the process.
Result<std::unique_ptr<Hwm>> MakeMeasuredHwm(const Target& target,
                                             const std::filesystem::path& directory);

}  // namespace spillway
