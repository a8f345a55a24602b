// Blocks of a ring that must not share a tile, and the fewest tiles that keep them apart.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway::nki {

/// Counts of a modulo law, one a block dimension: blocks whose indices are equal modulo these share
/// a physical tile.
struct TileCounts {
  std::vector<std::int64_t> counts;
  std::int64_t tiles = 1;  ///< their product

  friend bool operator==(const TileCounts&, const TileCounts&) = default;
};

/// Tensors of more blocks aren't looked at.
inline constexpr std::int64_t kMaxRingBlocks = std::int64_t{1} << 16;

/// Distances between block indices, each dimension without its sign: row-major over the blocks.
class TileDistances {
 public:
  explicit TileDistances(const Tensor& tensor)
      : blocks_(tensor.blocks), has_(static_cast<std::size_t>(BlockCount(tensor)), false) {}

  std::size_t Between(std::int64_t a, std::int64_t b) const {
    std::int64_t key = 0;
    std::int64_t scale = 1;
    for (std::size_t d = blocks_.size(); d-- > 0;) {
      key += std::abs(a % blocks_[d] - b % blocks_[d]) * scale;
      scale *= blocks_[d];
      a /= blocks_[d];
      b /= blocks_[d];
    }
    return static_cast<std::size_t>(key);
  }
  bool Has(std::size_t distance) const { return has_[distance]; }
  void Add(std::size_t distance) { has_[distance] = true; }
  void Add(const TileDistances& other) {
    for (std::size_t i = 0; i < has_.size(); ++i) has_[i] = has_[i] || other.has_[i];
  }

  /// Whether two blocks at one of the distances share a tile of `moduli` (one a dimension).
  bool AnyDivisibleBy(const std::vector<std::int64_t>& moduli) const {
    return AnyFrom(0, 0, moduli);
  }

 private:
  bool AnyFrom(std::size_t d, std::size_t key, const std::vector<std::int64_t>& moduli) const {
    if (d == blocks_.size()) return key != 0 && has_[key];
    for (std::int64_t i = 0; i < blocks_[d]; i += moduli[d]) {
      if (AnyFrom(d + 1, key * static_cast<std::size_t>(blocks_[d]) + static_cast<std::size_t>(i),
                  moduli))
        return true;
    }
    return false;
  }

  std::vector<std::int64_t> blocks_;
  std::vector<bool> has_;
};

/// The law of the tensor's places: its own as long as it lies by it, else one with the place of its
/// first block as base and a tile a block.
ModuloLaw LawOf(const Tensor& tensor, const std::vector<Address>& addresses);
/// The law's list of counts that a larger ring changes: banks in PSUM, free tiles in SBUF.
std::vector<std::int64_t>& GrowingList(ModuloLaw& law, Space space);

/// The fewest tiles of the growing list under which no two blocks at one of `distances` share a
/// place; the other lists of `law` stay. Of several such counts the first in lexicographic order.
std::optional<TileCounts> FewestTiles(const Tensor& tensor, ModuloLaw law,
                                      const TileDistances& distances);

}  // namespace spillway::nki
