#include "model/alloc/allocate.h"

#include <algorithm>
#include <set>

#include "model/alloc/dram/allocate_dram.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/live_intervals.h"
#include "model/alloc/psum/allocate_psum.h"

namespace spillway {
namespace {

Kernel WithoutPlaces(Kernel kernel) {
  for (Tensor& tensor : kernel.tensors) tensor.at.clear();
  return kernel;
}

// PSUM is frozen before SBUF is coloured: its places travel in the function as `at`.
Kernel Frozen(const PsumAllocation& psum, std::set<std::string>& chosen) {
  Kernel kernel = psum.kernel;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kPsum || !tensor.at.empty()) continue;
    tensor.at = psum.placement.addresses[TensorId(t)];
    chosen.insert(tensor.name);
  }
  return kernel;
}

// Back again: what the author fixed keeps its `at`, what the colourer chose is placement alone.
void Thaw(Allocation& allocation, const std::set<std::string>& chosen) {
  for (std::size_t t = 0; t < allocation.kernel.tensors.size(); ++t) {
    Tensor& tensor = allocation.kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kPsum) continue;
    allocation.placement.addresses[TensorId(t)] = tensor.at;
    if (chosen.contains(tensor.name)) tensor.at.clear();
  }
}

Result<void> PlaceHomes(Allocation& allocation, const Target& target) {
  const LinearKernel linear = Linearize(allocation.kernel);
  Result<DramAllocation> dram = AllocateDram(linear, target);
  if (!dram) return Fail(dram.error());
  for (std::size_t t = 0; t < allocation.kernel.tensors.size(); ++t) {
    if (allocation.kernel.tensors[TensorId(t)].space != Space::kDram) continue;
    allocation.placement.addresses[TensorId(t)] = dram->placement.addresses[TensorId(t)];
  }
  allocation.dram_spill_bytes = dram->stats.spill_bytes;
  allocation.dram_high_water_bytes = dram->stats.high_water_bytes;
  return {};
}

}  // namespace

Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& hwm,
                            const AllocateOptions& options) {
  const Kernel wanted = options.reallocate ? WithoutPlaces(kernel) : kernel;
  const Result<PsumAllocation> psum = AllocatePsum(
      wanted, target, hwm, {.banks = options.psum_banks, .reallocate = options.reallocate});
  if (!psum) return Fail(psum.error());
  std::set<std::string> chosen;
  const Kernel frozen = Frozen(*psum, chosen);

  SbufOptions sbuf_options;
  sbuf_options.capacity = options.sbuf_bytes.value_or(target.sbuf_usable_bytes);
  sbuf_options.progress = options.progress;
  Result<SbufAllocation> sbuf = AllocateSbuf(frozen, target, hwm, sbuf_options);
  if (!sbuf) return Fail(sbuf.error());

  Allocation allocation;
  allocation.kernel = std::move(sbuf->kernel);
  allocation.placement = std::move(sbuf->placement);
  allocation.sbuf = std::move(sbuf->stats);
  Thaw(allocation, chosen);
  allocation.psum_spilled = static_cast<std::int64_t>(psum->stats.spilled.size());
  allocation.psum_peak_banks = psum->stats.peak_banks;
  allocation.messages = psum->stats.messages;
  allocation.messages.insert(allocation.messages.end(), allocation.sbuf.messages.begin(),
                             allocation.sbuf.messages.end());
  if (const Result<void> placed = PlaceHomes(allocation, target); !placed)
    return Fail(placed.error());
  return allocation;
}

Result<Allocation> AllocateHomes(const Kernel& kernel, const Target& target) {
  Allocation allocation;
  allocation.kernel = kernel;
  allocation.placement = FixedPlacement(kernel);
  const LinearKernel linear = Linearize(kernel);
  const auto lives = LiveIntervals(linear);
  std::vector<std::int64_t> change(linear.point_count() + 1, 0);
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    for (const Address& address : tensor.at) {
      const Bytes end = RectangleOf(tensor, address).bytes.end - ByteOffset(0);
      if (tensor.space == Space::kSbuf) {
        allocation.sbuf.high_water_bytes = std::max(allocation.sbuf.high_water_bytes, end);
      } else {
        const BankCount banks((end.value + target.psum_bank_bytes.value.value - 1) /
                              target.psum_bank_bytes.value.value);
        allocation.psum_peak_banks = std::max(allocation.psum_peak_banks, banks);
      }
    }
    if (tensor.space != Space::kSbuf || !lives[TensorId(t)]) continue;
    const std::int64_t bytes = BlockBytes(tensor).value * BlockCount(tensor);
    change[lives[TensorId(t)]->begin.value] += bytes;
    change[lives[TensorId(t)]->end.value] -= bytes;
  }
  std::int64_t live = 0;
  for (const std::int64_t at : change) {
    live += at;
    allocation.sbuf.peak_live_bytes = std::max(allocation.sbuf.peak_live_bytes, Bytes(live));
  }
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.spill == SpillRole::kNone) continue;
    ++(instruction.spill == SpillRole::kSave ? allocation.sbuf.saves : allocation.sbuf.reloads);
  }
  if (const Result<void> placed = PlaceHomes(allocation, target); !placed)
    return Fail(placed.error());
  return allocation;
}

}  // namespace spillway
