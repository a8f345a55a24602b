#include "model/alloc/nki/tile_distances.h"

#include <algorithm>
#include <numeric>

#include "model/alloc/ir/evaluate_modulo_law.h"

namespace spillway::nki {
namespace {

/// All counts of at most the blocks' dimensions, from the fewest tiles on.
std::vector<TileCounts> Candidates(const std::vector<std::int64_t>& blocks) {
  std::vector<TileCounts> all = {{{}, 1}};
  for (const std::int64_t dimension : blocks) {
    std::vector<TileCounts> longer;
    for (const TileCounts& shorter : all) {
      for (std::int64_t count = 1; count <= dimension; ++count) {
        TileCounts next{shorter.counts, shorter.tiles * count};
        next.counts.push_back(count);
        longer.push_back(std::move(next));
      }
    }
    all = std::move(longer);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const TileCounts& a, const TileCounts& b) { return a.tiles < b.tiles; });
  return all;
}

/// Indices below `blocks` that are equal modulo `a` and `b` are equal modulo this.
std::int64_t Both(std::int64_t a, std::int64_t b, std::int64_t blocks) {
  return std::lcm(std::min(a, blocks), std::min(b, blocks));
}

}  // namespace

ModuloLaw LawOf(const Tensor& tensor, const std::vector<Address>& addresses) {
  if (tensor.alloc) {
    const Result<std::vector<Address>> own = EvaluateModuloLaw(tensor, *tensor.alloc);
    if (own && *own == addresses) return *tensor.alloc;
  }
  const Address base = addresses.empty() ? Address{} : addresses.front();
  ModuloLaw law;
  law.base_partition = base.partition;
  law.base_addr = base.byte;
  if (tensor.space == Space::kPsum) {
    law.base_bank = BankId(base.byte.value / kAddressBankBytes.value);
    law.base_addr = ByteOffset(base.byte.value % kAddressBankBytes.value);
  }
  GrowingList(law, tensor.space) = tensor.blocks;
  return law;
}

std::vector<std::int64_t>& GrowingList(ModuloLaw& law, Space space) {
  return space == Space::kPsum ? law.num_bank_tiles : law.num_free_tiles;
}

std::optional<TileCounts> FewestTiles(const Tensor& tensor, ModuloLaw law,
                                      const TileDistances& distances) {
  GrowingList(law, tensor.space).clear();
  std::vector<std::int64_t> fixed(tensor.blocks.size(), 1);
  for (const auto* list : {&law.num_bank_tiles, &law.num_par_tiles, &law.num_free_tiles}) {
    for (std::size_t d = 0; d < list->size() && d < fixed.size(); ++d)
      fixed[d] = Both(fixed[d], (*list)[d], tensor.blocks[d]);
  }
  for (const TileCounts& candidate : Candidates(tensor.blocks)) {
    std::vector<std::int64_t> moduli;
    for (std::size_t d = 0; d < fixed.size(); ++d)
      moduli.push_back(Both(fixed[d], candidate.counts[d], tensor.blocks[d]));
    if (!distances.AnyDivisibleBy(moduli)) return candidate;
  }
  return std::nullopt;
}

}  // namespace spillway::nki
