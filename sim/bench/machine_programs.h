// What the machine suite plays.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/timing/hw_program.h"

namespace spillway {

/// Share of transfers among the instances: of those of the 15 captured kernels 15% are transfers,
/// in the mean kernel 30%.
inline constexpr int kTransferPercent = 25;

struct MachineProgramShape {
  int instances = 0;
  int transfer_percent = kTransferPercent;
  std::int64_t mean_nanoseconds = 64;
  bool full_height = false;  ///< transfers of 128 descriptors on all engines; else of one
  std::uint64_t seed = 1;
};

/// Instances on five compute engines and 16 queues, each with up to two waits for recent ones;
/// durations spread evenly up to twice the mean.
HwProgram MachineProgram(const MachineProgramShape& shape);

/// The durations of `program` by stream, for the yardstick: a wait for every instance, no rules.
std::vector<std::vector<std::int64_t>> DurationsByStream(const HwProgram& program);

/// `copies` loads and as many stores of 128 rows x 2 KiB between DRAM and eight SBUF tiles.
Kernel CopyKernel(std::int64_t copies);
inline constexpr std::int64_t kCopyBytes = 128 * 2048;

}  // namespace spillway
