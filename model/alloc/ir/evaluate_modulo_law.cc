#include "model/alloc/ir/evaluate_modulo_law.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "model/hw/fault.h"

namespace spillway {
namespace {

constexpr std::int64_t kMaxAddress = std::int64_t{1} << 40;

Error CountsError(const Tensor& tensor, std::string_view name, std::string found) {
  return {
      Kind::kShape,
      "alloc-tile-counts",
      fmt::format("tensor \"{}\": {}: expected () or {} counts of at least 1, one a block "
                  "dimension of [{}], found {}",
                  tensor.name, name, tensor.blocks.size(), fmt::join(tensor.blocks, ", "), found),
      {},
      0};
}

Result<void> CheckCounts(const Tensor& tensor, std::string_view name,
                         const std::vector<std::int64_t>& counts) {
  const std::string found = fmt::format("({})", fmt::join(counts, ", "));
  if (!counts.empty() && counts.size() != tensor.blocks.size())
    return Fail(CountsError(tensor, name, found));
  for (const std::int64_t count : counts) {
    if (count < 1) return Fail(CountsError(tensor, name, found));
  }
  return {};
}

using Counts = std::vector<std::int64_t>;

/// `base` + scale * (index modulo counts, row-major over the counts and not over the blocks'
/// `shape`); false where it leaves [0, kMaxAddress].
bool Step(std::span<const std::int64_t> index, const Counts& counts,
          [[maybe_unused]] const Counts& shape, std::int64_t scale, std::int64_t base,
          std::int64_t& result) {
  std::int64_t tile = 0;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    const std::int64_t slots =
        SPILLWAY_FAULT(B22, SPILLWAY_FAULT(B23, counts[d], std::min<std::int64_t>(counts[d], 2)),
                       std::max<std::int64_t>(counts[d] - (fault::variant == 0 ? 1 : 0), 1));
    if (__builtin_mul_overflow(tile, SPILLWAY_FAULT(N25, slots, shape[d]), &tile)) return false;
    if (__builtin_add_overflow(tile, index[d] % slots, &tile)) return false;
  }
  tile += SPILLWAY_FAULT(B22, 0, fault::variant == 1 && !counts.empty() ? 1 : 0);
  if (__builtin_mul_overflow(tile, scale, &tile)) return false;
  return !__builtin_add_overflow(tile, base, &result) && result >= 0 && result <= kMaxAddress;
}

/// The next index in row-major order; wraps around at the end.
void Advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& blocks) {
  for (std::size_t d = blocks.size(); d-- > 0;) {
    if (++index[d] < blocks[d]) return;
    index[d] = 0;
  }
}

}  // namespace

Result<std::vector<Address>> EvaluateModuloLaw(const Tensor& tensor, const ModuloLaw& law) {
  SPILLWAY_CHECK(tensor.space != Space::kDram, "modulo allocation is for SBUF and PSUM");
  for (const auto& [name, counts] : {std::pair{"num_bank_tiles", &law.num_bank_tiles},
                                     {"num_par_tiles", &law.num_par_tiles},
                                     {"num_free_tiles", &law.num_free_tiles}}) {
    if (Result<void> fine = CheckCounts(tensor, name, *counts); !fine) return Fail(fine.error());
  }
  const Counts& par_tiles = SPILLWAY_FAULT(
      N26, law.num_par_tiles, fault::IsVariant(0) ? law.num_free_tiles : law.num_par_tiles);
  const Counts& free_tiles = SPILLWAY_FAULT(
      N26, law.num_free_tiles, fault::IsVariant(1) ? law.num_par_tiles : law.num_free_tiles);
  const std::int64_t blocks = BlockCount(tensor);
  std::vector<std::int64_t> index(tensor.blocks.size(), 0);
  std::vector<Address> addresses;
  addresses.reserve(static_cast<std::size_t>(blocks));
  for (std::int64_t b = 0; b < blocks; ++b, Advance(index, tensor.blocks)) {
    std::int64_t bank_byte = 0;
    std::int64_t partition = 0;
    std::int64_t byte = 0;
    const auto step = [&](const Counts& counts, std::int64_t scale, std::int64_t base,
                          std::int64_t& result) {
      return Step(index, counts, tensor.blocks, scale, base, result);
    };
    const bool fits =
        step(law.num_bank_tiles, kAddressBankBytes.value,
             law.base_bank.value * kAddressBankBytes.value, bank_byte) &&
        step(par_tiles, Partitions(tensor).value, law.base_partition.value, partition) &&
        step(free_tiles,
             SPILLWAY_FAULT(B22, BlockBytes(tensor).value,
                            fault::variant == 2 ? FreeElements(tensor) : BlockBytes(tensor).value),
             law.base_addr.value, byte) &&
        bank_byte + byte <= kMaxAddress;
    if (!fits) {
      return Fail({Kind::kLimit,
                   "alloc-address-too-large",
                   fmt::format("tensor \"{}\", block ({}): expected addresses from 0 to {}, found "
                               "that the law leaves them",
                               tensor.name, fmt::join(index, ", "), kMaxAddress),
                   {},
                   0});
    }
    addresses.push_back({Partition(partition), ByteOffset(bank_byte + byte)});
  }
  return addresses;
}

bool FollowsModuloLaw(const Tensor& tensor) {
  if (!tensor.alloc || tensor.space == Space::kDram) return false;
  const Result<std::vector<Address>> addresses = EvaluateModuloLaw(tensor, *tensor.alloc);
  return addresses && *addresses == tensor.at;
}

}  // namespace spillway
