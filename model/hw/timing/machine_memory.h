// The bytes of SBUF, PSUM and DRAM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/hw/engine.h"
#include "model/hw/interval.h"
#include "model/hw/target.h"

namespace spillway {

/// Memory that a program may touch: what a run poisons.
struct MemoryUse {
  std::vector<Rectangle> sbuf;
  std::vector<Rectangle> psum;  ///< bytes in the window of all banks
  Bytes dram;                   ///< [0, dram)

  /// Grows the rectangles' hull list so that few rectangles cover everything added so far.
  void Add(Space space, const Rectangle& rectangle);
};

/// What unwritten scratch holds: a NaN in every float type, so that arithmetic carries it on.
inline constexpr std::byte kScratchPoison{0xFF};

/// One partitioned memory: rows of equal length.
class PartitionedBytes {
 public:
  PartitionedBytes() = default;
  PartitionedBytes(PartitionCount partitions, Bytes row);

  PartitionCount partitions() const { return partitions_; }
  Bytes row() const { return row_; }
  /// First byte of `byte` in `partition`; the next partition's lies row() further.
  std::byte* At(Partition partition, ByteOffset byte);
  const std::byte* At(Partition partition, ByteOffset byte) const;
  void Fill(const Rectangle& rectangle, std::byte value);

 private:
  PartitionCount partitions_;
  Bytes row_;
  std::unique_ptr<std::byte[]> bytes_;
};

/// SBUF of the target's physical size, PSUM of all banks, and DRAM as large as the program needs.
class MachineMemory {
 public:
  /// Takes the target's geometry and poisons what `use` names; the rest keeps any bytes.
  /// `use` must lie inside the memories (the lowering sees to it).
  void Prepare(const Target& target, const MemoryUse& use);

  PartitionedBytes& sbuf() { return sbuf_; }
  const PartitionedBytes& sbuf() const { return sbuf_; }
  PartitionedBytes& psum() { return psum_; }
  const PartitionedBytes& psum() const { return psum_; }
  std::span<std::byte> dram() { return {dram_.get(), dram_size_}; }
  std::span<const std::byte> dram() const { return {dram_.get(), dram_size_}; }

 private:
  PartitionedBytes sbuf_;
  PartitionedBytes psum_;
  std::unique_ptr<std::byte[]> dram_;
  std::size_t dram_size_ = 0;
  std::size_t dram_capacity_ = 0;
};

}  // namespace spillway
