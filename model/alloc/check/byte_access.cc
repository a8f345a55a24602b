#include "model/alloc/check/byte_access.h"

#include <algorithm>

#include "model/alloc/ir/footprint.h"

namespace spillway::check {
namespace {

std::vector<Interval<ByteOffset>> DramPlaces(const Tensor& tensor,
                                             const std::vector<Address>& addresses) {
  std::vector<Interval<ByteOffset>> places;
  for (const Address& address : addresses)
    places.push_back({address.byte, address.byte + BlockBytes(tensor)});
  return places;
}

}  // namespace

ByteAccesses::ByteAccesses(const Kernel& kernel, const Placement& places)
    : kernel_(kernel), places_(places), quiet_(kernel.tensors.size(), false) {
  std::vector<Interval<ByteOffset>> written;
  for (const Instruction& instruction : kernel.instructions) {
    accesses_.push_back(AccessesOf(instruction));
    for (const Access& access : accesses_[InstructionId(accesses_.size() - 1)]) {
      const Tensor& tensor = kernel.tensors[access.tensor];
      if (!access.is_write || tensor.space != Space::kDram) continue;
      for (const auto& place : DramPlaces(tensor, places.addresses[access.tensor]))
        written.push_back(place);
    }
  }
  std::sort(written.begin(), written.end());
  written.erase(std::unique(written.begin(), written.end()), written.end());
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kDram) continue;
    quiet_[TensorId(t)] = true;
    for (const auto& place : DramPlaces(tensor, places.addresses[TensorId(t)])) {
      for (const auto& other : written) {
        if (Overlap(place, other)) quiet_[TensorId(t)] = false;
      }
    }
  }
}

std::span<const ByteAccess> ByteAccesses::Of(InstructionId instruction,
                                             std::span<const std::int64_t> values) {
  found_.clear();
  for (const Access& access : accesses_[instruction]) {
    if (!quiet_[access.tensor]) Append(access, values);
  }
  return found_;
}

void ByteAccesses::Append(const Access& access, std::span<const std::int64_t> values) {
  const Tensor& tensor = kernel_.tensors[access.tensor];
  const std::vector<Address>& places = places_.addresses[access.tensor];
  const Footprint footprint = FootprintOf(kernel_, access, values);
  const std::int64_t first = std::max<std::int64_t>(footprint.block, 0);
  const auto blocks = static_cast<std::int64_t>(places.size());
  const std::int64_t end = footprint.block < 0 ? blocks : std::min(first + 1, blocks);
  for (std::int64_t block = first; block < end; ++block) {
    const Address& at = places[static_cast<std::size_t>(block)];
    const PartitionCount rows = at.partition - Partition(0);
    const Bytes bytes = at.byte - ByteOffset(0);
    for (const Interval<ByteOffset>& run : footprint.runs) {
      found_.push_back({access.is_write,
                        tensor.space,
                        {{footprint.partitions.begin + rows, footprint.partitions.end + rows},
                         {run.begin + bytes, run.end + bytes}},
                        access.tensor,
                        block});
    }
  }
}

}  // namespace spillway::check
