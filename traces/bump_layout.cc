#include "traces/bump_layout.h"

#include <utility>

namespace spillway {

TensorId BumpLayout::Add(std::string name, DType dtype, std::vector<std::int64_t> shape,
                         const TileCounts& tiles) {
  std::int64_t bytes = ElementSize(dtype).value;
  for (std::size_t d = 1; d < shape.size(); ++d) bytes *= shape[d];
  for (const std::int64_t count : tiles.num_free_tiles) bytes *= count;
  const TensorId tensor = AddAt(end_, std::move(name), dtype, std::move(shape), tiles);
  end_ = end_ + Bytes(bytes);
  return tensor;
}

TensorId BumpLayout::AddAt(ByteOffset base, std::string name, DType dtype,
                           std::vector<std::int64_t> shape, const TileCounts& tiles) {
  const ModuloLaw law{.base_addr = base, .num_free_tiles = tiles.num_free_tiles};
  return builder_.Sbuf(std::move(name), dtype, std::move(shape),
                       {.blocks = tiles.blocks, .alloc = law});
}

Address AtPsumBank(std::int64_t bank) {
  return {Partition(0), ByteOffset(bank * kAddressBankBytes.value)};
}

}  // namespace spillway
