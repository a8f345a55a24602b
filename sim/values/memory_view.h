// Where an instruction's operands lie in bytes: the only thing that values know of a memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/hw/units.h"

namespace spillway {

/// Bytes of one block of one tensor. Partition p starts at `base + p * partition_stride`; for DRAM
/// the block is one stretch of bytes and p is 0. Little-endian elements.
struct BlockView {
  std::byte* base = nullptr;
  std::int64_t partition_stride = 0;
};

/// A memory that holds tensors: the machine's scratchpads, or the reference's unlimited one.
class MemoryView {
 public:
  virtual ~MemoryView() = default;
  /// `block` is the row-major block index (0 for a tensor without blocks).
  virtual BlockView Block(TensorId tensor, std::int64_t block) = 0;
};

}  // namespace spillway
