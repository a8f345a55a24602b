#include "sim/lower/memory_map.h"

#include <fmt/format.h>

#include "model/alloc/ir/access.h"

namespace spillway {
namespace {

IdVector<TensorId, bool> Accessed(const Kernel& kernel) {
  IdVector<TensorId, bool> accessed(kernel.tensors.size(), false);
  for (const Instruction& instruction : kernel.instructions) {
    for (const Access& access : AccessesOf(instruction)) accessed[access.tensor] = true;
  }
  return accessed;
}

// What a tensor's block occupies; one row of bytes in DRAM.
Rectangle Occupied(const Tensor& tensor, const Address& address) {
  if (tensor.space != Space::kDram) return RectangleOf(tensor, address);
  return {{Partition(0), Partition(1)}, {address.byte, address.byte + BlockBytes(tensor)}};
}

std::optional<Error> CheckPlace(const Tensor& tensor, const Address& address,
                                const Target& target) {
  const Rectangle place = Occupied(tensor, address);
  const Interval<Partition> rows = {Partition(0),
                                    Partition(0) + PartitionsOf(target, tensor.space)};
  const Interval<ByteOffset> bytes = {ByteOffset(0), ByteOffset(0) + SizeOf(target, tensor.space)};
  if (!rows.Covers(place.partitions)) {
    return Error{Kind::kPartitionRange, "place-outside-memory",
                 fmt::format("{} lies in partitions [{}, {}); {} has {}", tensor.name,
                             place.partitions.begin.value, place.partitions.end.value,
                             SpaceName(tensor.space), rows.end.value),
                 "", 0};
  }
  if (bytes.Covers(place.bytes)) return std::nullopt;
  return Error{
      Kind::kOutOfRange, "place-outside-memory",
      fmt::format("{} lies in bytes [{}, {}); {} has {}", tensor.name, place.bytes.begin.value,
                  place.bytes.end.value, SpaceName(tensor.space), bytes.end.value),
      "", 0};
}

Error NotPlaced(const Tensor& tensor, std::size_t places) {
  if (places == 0) {
    return {Kind::kOutOfRange, "not-placed",
            fmt::format("{} ({}) is used but has no place; allocate the kernel first", tensor.name,
                        SpaceName(tensor.space)),
            "", 0};
  }
  return {Kind::kOutOfRange, "place-count",
          fmt::format("{} has {} blocks but {} places", tensor.name, BlockCount(tensor), places),
          "", 0};
}

}  // namespace

Bytes SizeOf(const Target& target, Space space) {
  switch (space) {
    case Space::kDram: return target.dram_bytes;
    case Space::kSbuf: return target.sbuf_physical_bytes;
    case Space::kPsum: return target.psum_bank_bytes.value * target.psum_banks.value.value;
  }
  return Bytes(0);
}

PartitionCount PartitionsOf(const Target& target, Space space) {
  switch (space) {
    case Space::kDram: return PartitionCount(1);
    case Space::kSbuf: return target.sbuf_partitions;
    case Space::kPsum: return target.psum_partitions;
  }
  return PartitionCount(0);
}

Result<MemoryMap> MapMemory(const Kernel& kernel, const Placement& placement,
                            const Target& target) {
  const IdVector<TensorId, bool> accessed = Accessed(kernel);
  MemoryMap map;
  map.addresses.resize(kernel.tensors.size());
  map.own_dram.resize(kernel.tensors.size(), false);
  std::vector<TensorId> unplaced;
  for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = kernel.tensors[id];
    if (placement.addresses.contains(id)) map.addresses[id] = placement.addresses[id];
    const std::size_t places = map.addresses[id].size();
    if (tensor.space == Space::kDram && places == 0) {
      if (accessed[id] || tensor.role != Role::kInternal) unplaced.push_back(id);
      continue;
    }
    if (places == 0 && !accessed[id]) continue;
    if (places != static_cast<std::size_t>(BlockCount(tensor)))
      return Fail(NotPlaced(tensor, places));
    for (const Address& address : map.addresses[id]) {
      if (const std::optional<Error> error = CheckPlace(tensor, address, target))
        return Fail(*error);
      map.use.Add(tensor.space, Occupied(tensor, address));
    }
  }
  for (const TensorId id : unplaced) {
    const Tensor& tensor = kernel.tensors[id];
    map.own_dram[id] = true;
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      const ByteOffset byte = ByteOffset(0) + RoundUp(map.use.dram, target.dram_alignment);
      const Address address{Partition(0), byte};
      if (CheckPlace(tensor, address, target)) {
        return Fail(
            {Kind::kCapacity, "dram-full",
             fmt::format(
                 "{} ({} bytes) doesn't fit behind the first {} bytes of DRAM, which has {}",
                 tensor.name, BlockBytes(tensor).value, byte.value,
                 SizeOf(target, Space::kDram).value),
             "", 0});
      }
      map.addresses[id].push_back(address);
      map.use.Add(tensor.space, Occupied(tensor, address));
    }
  }
  return map;
}

}  // namespace spillway
