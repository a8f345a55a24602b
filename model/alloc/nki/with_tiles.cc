#include "model/alloc/nki/with_tiles.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "model/alloc/ir/without_places.h"
#include "model/alloc/nki/element_bytes.h"
#include "model/alloc/nki/measure_tile.h"

namespace spillway::nki {
namespace {

Result<void> CheckTile(const TileAllocation& tile, const Tensor& tensor) {
  if (tensor.space != Space::kSbuf) {
    return Fail({Kind::kMemorySpace, "tile-tensor-space",
                 fmt::format("tile '{}' lies in sbuf, the tensor of its name in {}", tile.name,
                             SpaceName(tensor.space)),
                 "", 0});
  }
  const Result<Bytes> element = ElementBytesOf(tile.dtype);
  if (!element) return Fail(element.error());
  if (tile.shape != tensor.shape || *element != ElementSize(tensor.dtype)) {
    return Fail({Kind::kShape, "tile-tensor-shape",
                 fmt::format("tile '{}' is {} {}, the tensor of its name {} {}", tile.name,
                             ShapeText(tile.shape), tile.dtype, ShapeText(tensor.shape),
                             DTypeName(tensor.dtype)),
                 "", 0});
  }
  if (!tile.address) {
    return Fail(
        {Kind::kMixedAllocation, "tile-without-address",
         fmt::format("tile '{}' was allocated in automatic mode and has no address", tile.name), "",
         0});
  }
  return {};
}

}  // namespace

Result<Kernel> WithTiles(Kernel kernel, std::span<const TileAllocation> tiles) {
  std::map<std::string_view, TensorId> ids;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t)
    ids.emplace(kernel.tensors[TensorId(t)].name, TensorId(t));
  std::map<TensorId, std::vector<Address>> addresses;
  for (const TileAllocation& tile : tiles) {
    if (tile.region == TileRegion::kDram) continue;
    const auto found = ids.find(tile.name);
    if (found == ids.end()) {
      return Fail({Kind::kUnknownName, "tile-without-tensor",
                   fmt::format("kernel '{}' has no tensor of the name of tile '{}'", kernel.name,
                               tile.name),
                   "", 0});
    }
    if (const auto checked = CheckTile(tile, kernel.tensors[found->second]); !checked)
      return Fail(checked.error());
    addresses[found->second].push_back(*tile.address);
  }
  for (auto& [id, at] : addresses) {
    Tensor& tensor = kernel.tensors[id];
    if (static_cast<std::int64_t>(at.size()) != BlockCount(tensor)) {
      return Fail({Kind::kShape, "tile-tensor-blocks",
                   fmt::format("tensor '{}' has {} blocks and {} tiles; expected one a block",
                               tensor.name, BlockCount(tensor), at.size()),
                   "", 0});
    }
    ForgetAuthor(tensor);
    tensor.at = std::move(at);
  }
  return kernel;
}

}  // namespace spillway::nki
