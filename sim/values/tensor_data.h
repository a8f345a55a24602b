// The bytes of whole tensors, packed: blocks, then partitions, then free elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"

namespace spillway {

struct TensorData {
  std::vector<std::byte> bytes;

  friend bool operator==(const TensorData&, const TensorData&) = default;
};

/// Data by tensor name: it outlives the renumbering of a kernel's tensors.
using NamedData = std::map<std::string, TensorData>;

/// Bytes of all blocks and partitions.
/// Errors: kLimit "tensor-bytes" if the tensor is larger than `limit`.
Result<std::int64_t> TensorBytes(const Tensor& tensor, std::int64_t limit);

/// Bytes that data runs may need at most: of all inputs, or of all DRAM tensors of a kernel.
inline constexpr std::int64_t kDataLimit = std::int64_t{16} << 30;

/// What byte `offset` of a DRAM tensor that isn't an input holds before anything writes it. The
/// reference and the machine start from the same bytes, so that those which no instruction writes
/// compare equal. Counted within a tensor: addresses don't matter.
constexpr std::byte InitialDramByte(std::int64_t offset) {
  return static_cast<std::byte>(0xd0 | (offset & 0x0f));
}

/// The same for a whole tensor, or a stretch that starts at `offset` of it.
void FillInitialDram(std::span<std::byte> bytes, std::int64_t offset = 0);

}  // namespace spillway
