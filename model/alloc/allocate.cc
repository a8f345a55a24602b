#include "model/alloc/allocate.h"

#include <set>
#include <utility>

#include "model/alloc/ir/without_places.h"
#include "model/alloc/place_homes.h"
#include "model/alloc/psum/allocate_psum.h"

namespace spillway {
namespace {

// PSUM is frozen before SBUF is coloured: its places travel in the function as `at`.
Kernel Frozen(PsumAllocation psum) {
  Kernel kernel = std::move(psum.kernel);
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kPsum || !tensor.at.empty()) continue;
    tensor.at = std::move(psum.placement.addresses[TensorId(t)]);
  }
  return kernel;
}

std::set<std::string> NamesOfUnplacedPsum(const Kernel& kernel) {
  std::set<std::string> names;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.space == Space::kPsum && tensor.at.empty()) names.insert(tensor.name);
  }
  return names;
}

// Back again: what the author fixed keeps its `at`, what the colourer chose is placement alone.
Allocation Thawed(Allocation allocation, const std::set<std::string>& chosen) {
  for (std::size_t t = 0; t < allocation.kernel.tensors.size(); ++t) {
    Tensor& tensor = allocation.kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kPsum) continue;
    allocation.placement.addresses[TensorId(t)] = tensor.at;
    if (chosen.contains(tensor.name)) tensor.at.clear();
  }
  return allocation;
}

}  // namespace

Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& hwm,
                            const AllocateOptions& options) {
  Result<PsumAllocation> psum =
      AllocatePsum(options.reallocate ? WithoutPlaces(kernel) : kernel, target, hwm,
                   {.banks = options.psum_banks, .reallocate = options.reallocate});
  if (!psum) return Fail(psum.error());
  const std::set<std::string> chosen = NamesOfUnplacedPsum(psum->kernel);
  const PsumStats psum_stats = psum->stats;

  SbufOptions sbuf_options;
  sbuf_options.capacity = options.sbuf_bytes.value_or(target.sbuf_usable_bytes);
  sbuf_options.progress = options.progress;
  sbuf_options.attempts = options.attempts;
  Result<SbufAllocation> sbuf = AllocateSbuf(Frozen(std::move(*psum)), target, hwm, sbuf_options);
  if (!sbuf) return Fail(sbuf.error());

  Allocation allocation;
  allocation.kernel = std::move(sbuf->kernel);
  allocation.placement = std::move(sbuf->placement);
  allocation.sbuf = std::move(sbuf->stats);
  allocation.psum_spilled = static_cast<std::int64_t>(psum_stats.spilled.size());
  allocation.psum_peak_banks = psum_stats.peak_banks;
  allocation.messages = psum_stats.messages;
  allocation.messages.insert(allocation.messages.end(), allocation.sbuf.messages.begin(),
                             allocation.sbuf.messages.end());
  return WithHomes(Thawed(std::move(allocation), chosen), target);
}

}  // namespace spillway
