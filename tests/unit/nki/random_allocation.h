// Random tensors, laws and functions at the edges of the rules, from a list of small choices.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <stdexcept>

#include "model/hw/target.h"
#include "tests/unit/nki/allocation_cases.h"
#include "tests/unit/nki/plain_rules.h"

namespace spillway::nki {

using plain::Numbers;

template <class T>
T AnyOf(std::vector<T> values) {
  return *rc::gen::elementOf(std::move(values));
}
inline int Below(int end) { return *rc::gen::resize(100, rc::gen::inRange(0, end)); }
inline bool OneIn(int n) { return Below(n) == n - 1; }

/// A built-in target, sometimes with an alignment of 4 or a bank kept for transposes.
inline Target AnyTarget() {
  Target target = AnyOf(BuiltInTargets());
  if (OneIn(4)) target.sbuf_min_align.value = Bytes(4);
  if (OneIn(6)) target.psum_transpose_banks.value = BankCount(1);
  return target;
}

inline plain::Machine MachineOf(const Target& target) {
  return {target.sbuf_usable_bytes.value.value,
          target.sbuf_min_align.value.value,
          target.sbuf_partitions.value.value,
          target.psum_partitions.value.value,
          target.psum_banks.value.value - target.psum_transpose_banks.value.value,
          target.psum_bank_bytes.value.value};
}

inline Numbers AnyBlocks() {
  Numbers blocks;
  for (int d = Below(3); d > 0; --d) blocks.push_back(1 + Below(4));
  return blocks;
}

inline Tensor AnyTiles(const Target& target, bool psum) {
  const std::int64_t partitions =
      AnyOf<std::int64_t>({1, 20, 31, 32, 33, 40, 63, 64, 65, 100, 127, 128});
  const std::int64_t window = target.sbuf_usable_bytes.value.value;
  const std::int64_t bytes = psum ? AnyOf<std::int64_t>({4, 512, 2047, 2048, 2048, 2049})
                                  : AnyOf<std::int64_t>({1, 4, 64, 2048, 4000, window / 4, window});
  const std::int64_t most = target.psum_partitions.value.value;
  return TilesIn(psum ? Space::kPsum : Space::kSbuf,
                 psum && !OneIn(8) ? std::min(partitions, most) : partitions + (OneIn(40) ? 1 : 0),
                 bytes, AnyBlocks());
}

/// A tuple that the hardware has.
inline Numbers LegalTuple(const Tensor& tensor, const Target& target) {
  const plain::Machine m = MachineOf(target);
  if (tensor.space == Space::kPsum) return {Below(static_cast<int>(m.banks)), 0, 0};
  const std::int64_t p = tensor.shape[0];
  const int step = p <= 32 ? 32 : p <= 64 ? 64 : 128;
  const std::int64_t room = m.window - tensor.shape[1];
  const std::int64_t byte =
      AnyOf<std::int64_t>({0, 4, 256, 260, room, room - 1, room / 2, Below(100000)});
  const std::int64_t inside = std::max<std::int64_t>(0, std::min(byte, room));
  return {step * Below(128 / step), inside / m.align * m.align};
}

/// Any tuple near the edges; mostly of the right length.
inline Numbers AnyTuple(const Tensor& tensor, const Target& target) {
  const plain::Machine m = MachineOf(target);
  Numbers tuple = LegalTuple(tensor, target);
  if (OneIn(3)) return tuple;
  const std::size_t start = tensor.space == Space::kPsum ? 1 : 0;
  if (OneIn(3)) tuple[start] = AnyOf<std::int64_t>({-32, 1, 16, 31, 32, 33, 64, 96, 100, 128});
  if (OneIn(3)) {
    tuple[start + 1] = AnyOf<std::int64_t>(
        {-1, 1, 2, 2048, m.window - tensor.shape[1] + 1, m.window - 1, m.window, m.window + 4096});
  }
  if (start == 1 && OneIn(3))
    tuple[0] = AnyOf<std::int64_t>({-1, m.banks - 1, m.banks, m.banks + 1});
  if (OneIn(12)) tuple.push_back(0);
  if (OneIn(12)) tuple.pop_back();
  return tuple;
}

inline Numbers AnyCounts(const Tensor& tensor, int most) {
  if (OneIn(3)) return {};
  Numbers counts;
  for (std::size_t d = 0; d < tensor.blocks.size(); ++d) counts.push_back(1 + Below(most));
  if (OneIn(12)) counts.push_back(1);
  if (OneIn(12) && !counts.empty()) counts.back() = -Below(2);
  return counts;
}

inline ModuloLaw AnyLaw(const Tensor& tensor, const Target& target) {
  const plain::Machine m = MachineOf(target);
  const bool psum = tensor.space == Space::kPsum;
  ModuloLaw law;
  if (psum ? !OneIn(3) : OneIn(20)) law.base_bank = BankId(AnyOf<std::int64_t>({-1, 0, 1, 3, 7}));
  if (psum ? OneIn(8) : !OneIn(3)) {
    law.base_addr = ByteOffset(
        AnyOf<std::int64_t>({-4, 4, 260, 262, m.window / 2, m.window - 1, m.window, 400000}));
  }
  if (OneIn(8)) law.base_partition = Partition(AnyOf<std::int64_t>({-1, 20, 32, 64}));
  if (psum || OneIn(20)) law.num_bank_tiles = AnyCounts(tensor, 5);
  if (psum ? OneIn(4) : !OneIn(3)) law.num_par_tiles = AnyCounts(tensor, psum || OneIn(2) ? 1 : 5);
  if (psum ? OneIn(4) : !OneIn(3)) law.num_free_tiles = AnyCounts(tensor, psum ? 2 : 5);
  return law;
}

/// A function that looks its tuples up, row-major over the tensor's blocks; throws where there is
/// none.
inline AllocFunc LookUp(const Tensor& tensor, const plain::Tuples& tuples) {
  const std::vector<Numbers> blocks = plain::Blocks(tensor.blocks);
  const TileFunction func = [blocks, tuples](std::span<const std::int64_t> idx, PartitionCount,
                                             Bytes) {
    const Numbers index(idx.begin(), idx.end());
    const auto found = std::find(blocks.begin(), blocks.end(), index);
    if (found == blocks.end()) throw std::out_of_range("a block that the tensor doesn't have");
    return tuples[static_cast<std::size_t>(found - blocks.begin())].value();
  };
  if (tensor.space == Space::kPsum) return PsumAllocFunc{func};
  return SbufAllocFunc{func};
}

}  // namespace spillway::nki
