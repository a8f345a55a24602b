#include "sim/values/tensor_data.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

Result<std::int64_t> TensorBytes(const Tensor& tensor, std::int64_t limit) {
  std::int64_t bytes = ElementSize(tensor.dtype).value;
  for (const auto* dims : {&tensor.blocks, &tensor.shape}) {
    for (const std::int64_t count : *dims) {
      if (count < 0 || (count > 0 && bytes > limit / count)) {
        return Fail({Kind::kLimit,
                     "tensor-bytes",
                     fmt::format("tensor \"{}\" needs more than {} bytes: too large to hold data; "
                                 "--values none runs without",
                                 tensor.name, limit),
                     {}});
      }
      bytes *= count;
    }
  }
  return bytes;
}

void FillInitialDram(std::span<std::byte> bytes, std::int64_t offset) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = InitialDramByte(offset + static_cast<std::int64_t>(i));
  }
}

}  // namespace spillway
