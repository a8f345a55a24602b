#include "properties/modulo_law_property.h"

#include <fmt/format.h>

#include <vector>

#include "model/alloc/ir/evaluate_modulo_law.h"

namespace spillway {
namespace {

/// One block dimension: an index below `blocks`, and a slot that begins anew behind the last.
struct Counter {
  std::int64_t blocks = 1;
  std::int64_t slots = 1;
  std::int64_t index = 0;
  std::int64_t slot = 0;

  /// False where the index begins anew, and the next dimension goes on.
  bool Advance() {
    if (++index == blocks) return index = slot = 0, false;
    if (++slot == slots) slot = 0;
    return true;
  }
};

// Tiles in front of the counters' slots, counted slot by slot.
std::int64_t TilesBefore(const std::vector<Counter>& counters) {
  std::int64_t tiles = 0;
  std::int64_t in_one = 1;  // tiles of a slot of the dimension at hand
  for (std::size_t d = counters.size(); d-- > 0;) {
    for (std::int64_t slot = 0; slot < counters[d].slot; ++slot) tiles += in_one;
    in_one *= counters[d].slots;
  }
  return tiles;
}

}  // namespace

std::optional<std::string> CheckModuloLaw(std::span<const std::uint8_t> bytes) {
  const auto at = [&](std::size_t i) -> std::int64_t { return i < bytes.size() ? bytes[i] : 0; };
  Tensor tensor;
  tensor.name = "ring";
  tensor.dtype = at(0) % 2 == 0 ? DType::kBfloat16 : DType::kFloat32;
  tensor.shape = {32, 1 + at(1) % 40};
  ModuloLaw law;
  law.base_addr = ByteOffset(at(2));
  std::vector<Counter> counters(1 + static_cast<std::size_t>(at(3)) % 3);
  for (std::size_t d = 0; d < counters.size(); ++d) {
    counters[d].blocks = 1 + at(4 + 2 * d) % 6;
    counters[d].slots = 1 + at(5 + 2 * d) % 4;
    tensor.blocks.push_back(counters[d].blocks);
    law.num_free_tiles.push_back(counters[d].slots);
  }
  const Result<std::vector<Address>> addresses = EvaluateModuloLaw(tensor, law);
  if (!addresses) return addresses.error().ToString();
  const std::int64_t tile = BlockBytes(tensor).value;
  for (std::size_t block = 0; block < addresses->size(); ++block) {
    const std::int64_t expected = law.base_addr.value + TilesBefore(counters) * tile;
    if ((*addresses)[block] != Address{law.base_partition, ByteOffset(expected)}) {
      return fmt::format("block {} at byte {}, counted {}", block, (*addresses)[block].byte.value,
                         expected);
    }
    for (std::size_t d = counters.size(); d-- > 0;) {
      if (counters[d].Advance()) break;
    }
  }
  return std::nullopt;
}

}  // namespace spillway
