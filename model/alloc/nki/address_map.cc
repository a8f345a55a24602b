#include "model/alloc/nki/address_map.h"

#include <algorithm>
#include <utility>

#include "model/alloc/ir/placement.h"

namespace spillway::nki {

AddressMap::AddressMap(Space space, Bytes capacity, const Target& target)
    : capacity_(capacity),
      step_(space == Space::kPsum ? target.psum_bank_bytes.value : target.sbuf_granule.value),
      whole_(space == Space::kPsum ? target.psum_bank_bytes.value : Bytes(1)),
      partitions_(space == Space::kPsum ? target.psum_partitions.value
                                        : target.sbuf_partitions.value) {
  SPILLWAY_CHECK(space != Space::kDram, "automatic allocation is for SBUF and PSUM");
}

Rectangle AddressMap::KeptBy(const Tensor& tensor, const Address& address) const {
  Rectangle kept = RectangleOf(tensor, address);
  const std::int64_t whole = whole_.value;
  kept.bytes.begin = ByteOffset(kept.bytes.begin.value / whole * whole);
  kept.bytes.end = ByteOffset((kept.bytes.end.value + whole - 1) / whole * whole);
  return kept;
}

std::optional<Address> AddressMap::LowestPlace(const Tensor& tensor) const {
  const PartitionCount rows = Partitions(tensor);
  const Bytes bytes = RoundUp(BlockBytes(tensor), whole_);
  std::optional<Address> lowest;
  for (const Partition first : LegalStartPartitions(rows)) {
    const Interval<Partition> band{first, first + rows};
    if (band.end > Partition(0) + partitions_) continue;
    ByteOffset start(0);
    for (const HeldBlock& other : held_) {
      if (!Overlap(band, other.place.partitions)) continue;
      if (start + bytes <= other.place.bytes.begin) break;
      const std::int64_t behind = other.place.bytes.end.value;
      start = std::max(start, ByteOffset((behind + step_.value - 1) / step_.value * step_.value));
    }
    if (start + bytes > ByteOffset(0) + capacity_) continue;
    if (!lowest || start < lowest->byte) lowest = Address{first, start};
  }
  return lowest;
}

void AddressMap::Hold(HeldBlock block) {
  const auto before = [](const HeldBlock& a, const HeldBlock& b) {
    return a.place.bytes.begin < b.place.bytes.begin;
  };
  held_.insert(std::upper_bound(held_.begin(), held_.end(), block, before), std::move(block));
}

void AddressMap::Release(const std::string& tensor) {
  std::erase_if(held_, [&](const HeldBlock& block) { return block.tensor == tensor; });
}

}  // namespace spillway::nki
