#include "model/hw/timing/machine_memory.h"

#include <algorithm>
#include <cstring>

#include "model/hw/error.h"

namespace spillway {
namespace {

// Beyond this many rectangles their hull is cheaper to fill than the list is to keep.
constexpr std::size_t kMaxRectangles = 8;

void Require(PartitionedBytes& memory, PartitionCount partitions, Bytes row) {
  if (memory.partitions() == partitions && memory.row() == row) return;
  memory = PartitionedBytes(partitions, row);
}

}  // namespace

void MemoryUse::Add(Space space, const Rectangle& rectangle) {
  if (space == Space::kDram) {
    dram = std::max(dram, rectangle.bytes.end - ByteOffset(0));
    return;
  }
  std::vector<Rectangle>& list = space == Space::kSbuf ? sbuf : psum;
  for (Rectangle& known : list) {
    if (known.partitions.Covers(rectangle.partitions) && known.bytes.Covers(rectangle.bytes))
      return;
    const bool same_rows = known.partitions == rectangle.partitions;
    const bool touch =
        known.bytes.begin <= rectangle.bytes.end && rectangle.bytes.begin <= known.bytes.end;
    if (!same_rows || !touch) continue;
    known.bytes = Hull(known.bytes, rectangle.bytes);
    return;
  }
  if (list.size() < kMaxRectangles) {
    list.push_back(rectangle);
    return;
  }
  Rectangle hull = rectangle;
  for (const Rectangle& known : list) {
    hull = {Hull(hull.partitions, known.partitions), Hull(hull.bytes, known.bytes)};
  }
  list = {hull};
}

PartitionedBytes::PartitionedBytes(PartitionCount partitions, Bytes row)
    : partitions_(partitions),
      row_(row),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(
          static_cast<std::size_t>(partitions.value * row.value))) {}

std::byte* PartitionedBytes::At(Partition partition, ByteOffset byte) {
  return bytes_.get() + partition.value * row_.value + byte.value;
}

const std::byte* PartitionedBytes::At(Partition partition, ByteOffset byte) const {
  return bytes_.get() + partition.value * row_.value + byte.value;
}

void PartitionedBytes::Fill(const Rectangle& rectangle, std::byte value) {
  const std::int64_t width = (rectangle.bytes.end - rectangle.bytes.begin).value;
  SPILLWAY_CHECK(rectangle.partitions.begin.value >= 0 && rectangle.bytes.begin.value >= 0 &&
                     width >= 0 && rectangle.partitions.end.value <= partitions_.value &&
                     rectangle.bytes.end.value <= row_.value,
                 "a program's memory use lies inside the memory");
  for (Partition p = rectangle.partitions.begin; p < rectangle.partitions.end;
       p = p + PartitionCount(1)) {
    std::memset(At(p, rectangle.bytes.begin), std::to_integer<int>(value),
                static_cast<std::size_t>(width));
  }
}

void MachineMemory::Prepare(const Target& target, const MemoryUse& use) {
  Require(sbuf_, target.sbuf_partitions, target.sbuf_physical_bytes);
  Require(psum_, target.psum_partitions,
          target.psum_bank_bytes.value * target.psum_banks.value.value);
  dram_size_ = static_cast<std::size_t>(use.dram.value);
  if (dram_size_ > dram_capacity_) {
    dram_.reset();
    dram_capacity_ = 0;
    dram_ = std::make_unique_for_overwrite<std::byte[]>(dram_size_);
    dram_capacity_ = dram_size_;
  }
  for (const Rectangle& rectangle : use.sbuf) sbuf_.Fill(rectangle, kScratchPoison);
  for (const Rectangle& rectangle : use.psum) psum_.Fill(rectangle, kScratchPoison);
  if (dram_size_ > 0) std::memset(dram_.get(), std::to_integer<int>(kScratchPoison), dram_size_);
}

}  // namespace spillway
