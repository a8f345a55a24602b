#include "model/alloc/place_homes.h"

#include <algorithm>

#include "model/alloc/dram/allocate_dram.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/live_intervals.h"
#include "model/alloc/psum/peak_banks.h"

namespace spillway {

Result<Allocation> WithHomes(Allocation allocation, const Target& target) {
  const LinearKernel linear = Linearize(allocation.kernel);
  Result<DramAllocation> dram = AllocateDram(linear, target);
  if (!dram) return Fail(dram.error());
  for (std::size_t t = 0; t < allocation.kernel.tensors.size(); ++t) {
    if (allocation.kernel.tensors[TensorId(t)].space != Space::kDram) continue;
    allocation.placement.addresses[TensorId(t)] = dram->placement.addresses[TensorId(t)];
  }
  allocation.dram_spill_bytes = dram->stats.spill_bytes;
  allocation.dram_high_water_bytes = dram->stats.high_water_bytes;
  return allocation;
}

Result<Allocation> AllocateHomes(const Kernel& kernel, const Placement& placement,
                                 const Target& target) {
  Allocation allocation;
  allocation.kernel = kernel;
  allocation.placement = placement;
  const LinearKernel linear = Linearize(kernel);
  const auto lives = LiveIntervals(linear);
  std::vector<std::int64_t> change(linear.point_count() + 1, 0);
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    for (const Address& address : placement.addresses[TensorId(t)]) {
      if (tensor.space != Space::kSbuf) continue;
      const Bytes end = RectangleOf(tensor, address).bytes.end - ByteOffset(0);
      allocation.sbuf.high_water_bytes = std::max(allocation.sbuf.high_water_bytes, end);
    }
    if (tensor.space != Space::kSbuf || !lives[TensorId(t)]) continue;
    const std::int64_t bytes = BlockBytes(tensor).value * BlockCount(tensor);
    change[lives[TensorId(t)]->begin.value] += bytes;
    change[lives[TensorId(t)]->end.value] -= bytes;
  }
  allocation.psum_peak_banks = psum::PeakBanksInUse(linear, placement, target);
  std::int64_t live = 0;
  for (const std::int64_t at : change) {
    live += at;
    allocation.sbuf.peak_live_bytes = std::max(allocation.sbuf.peak_live_bytes, Bytes(live));
  }
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.spill == SpillRole::kNone) continue;
    ++(instruction.spill == SpillRole::kSave ? allocation.sbuf.saves : allocation.sbuf.reloads);
  }
  return WithHomes(std::move(allocation), target);
}

Result<Allocation> AllocateHomes(const Kernel& kernel, const Target& target) {
  return AllocateHomes(kernel, FixedPlacement(kernel), target);
}

}  // namespace spillway
