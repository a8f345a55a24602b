#include "properties/fits_unshared.h"

#include <algorithm>
#include <optional>

namespace spillway {
namespace {

// Of the allocator of DRAM homes, not a number of the machine.
constexpr Bytes kPage{4096};

// Each block of `tensor` on multiples of `alignment`; nothing where that is more than `room`.
std::optional<Bytes> BlocksOf(const Tensor& tensor, Bytes alignment, Bytes room) {
  const std::int64_t block =
      (BlockBytes(tensor).value + alignment.value - 1) / alignment.value * alignment.value;
  if (block > room.value / std::max<std::int64_t>(BlockCount(tensor), 1)) return std::nullopt;
  return Bytes(block * BlockCount(tensor));
}

}  // namespace

bool FitsUnshared(const AllocationProblem& problem) {
  const Target& target = problem.target;
  const Bytes on_chip = std::max<Bytes>(target.sbuf_granule.value, target.sbuf_min_align.value);
  const Bytes in_dram = std::max<Bytes>(target.dram_alignment.value, kPage);
  Bytes sbuf = problem.sbuf_bytes;
  Bytes dram = target.dram_bytes.value;
  std::int64_t banks = problem.psum_banks.value;
  for (const Tensor& tensor : problem.kernel.tensors) {
    if (tensor.space == Space::kPsum) {
      if (!tensor.at.empty() || BlockBytes(tensor) > target.psum_bank_bytes.value ||
          Partitions(tensor) > target.psum_partitions.value)
        return false;
      banks -= BlockCount(tensor);
      if (banks < 0) return false;
      continue;
    }
    const bool is_dram = tensor.space == Space::kDram;
    if (!is_dram && (!tensor.at.empty() || Partitions(tensor) > target.sbuf_partitions.value))
      return false;
    Bytes& room = is_dram ? dram : sbuf;
    const std::optional<Bytes> taken = BlocksOf(tensor, is_dram ? in_dram : on_chip, room);
    if (!taken) return false;
    room -= *taken;
  }
  return true;
}

}  // namespace spillway
