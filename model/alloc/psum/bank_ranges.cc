#include "model/alloc/psum/bank_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/alloc/ir/live_intervals.h"
#include "model/hw/fault.h"

namespace spillway::psum {
namespace {

// The banks that the tensor touches at its fixed addresses, as far as they exist: what reaches past
// the last one blocks nobody, and the placement checker says so.
std::vector<BankId> FixedBanks(const Tensor& tensor, Bytes bank_bytes, BankCount all) {
  std::set<BankId> banks;
  const std::int64_t size = BlockBytes(tensor).value;
  for (const Address& address : tensor.at) {
    for (std::int64_t bank = 0; bank < all.value; ++bank) {
      const ByteOffset start(bank * bank_bytes.value);
      const bool begins_before_end = address.byte < start + bank_bytes;
      const bool ends_after_start = start.value - size < address.byte.value;
      if (begins_before_end && ends_after_start) banks.insert(BankId(bank));
    }
  }
  return {banks.begin(), banks.end()};
}

}  // namespace

Result<IdVector<NodeId, BankRange>> FindBankRanges(const LinearKernel& linear, const Target& target,
                                                   BankCount banks) {
  const Bytes bank_bytes = target.psum_bank_bytes;
  const auto lives = LiveIntervals(linear);
  IdVector<NodeId, BankRange> ranges;
  for (std::size_t i = 0; i < linear.kernel.tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = linear.kernel.tensors[id];
    if (tensor.space != Space::kPsum || !lives[id]) continue;
    BankRange range{id, *lives[id], BlockCount(tensor), BankCount(1), !tensor.at.empty(), {}};
    range.fixed = FixedBanks(tensor, bank_bytes, banks);
    const Bytes taken = SPILLWAY_FAULT(
        B20, RoundUp(BlockBytes(tensor), bank_bytes),
        fault::variant == 1 ? RoundUp(BlockBytes(tensor), bank_bytes) : BlockBytes(tensor));
    range.banks_per_block = BankCount(std::max<std::int64_t>(taken / bank_bytes, 1));
    if (!range.is_fixed && range.banks() > banks) {
      return Fail({Kind::kCapacity, "too-big-for-psum",
                   fmt::format("{} is too big for PSUM, requires {} banks with PSUM size {}",
                               tensor.name, range.banks().value, banks.value),
                   "", 0});
    }
    if (!range.is_fixed && Partitions(tensor) > target.psum_partitions.value) {
      return Fail(
          {Kind::kPartitionRange, "too-tall-for-psum",
           fmt::format("{} has {} partitions, PSUM of {} has {}", tensor.name,
                       Partitions(tensor).value, target.name, target.psum_partitions.value.value),
           "", 0});
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

BankCount PeakBanks(const IdVector<NodeId, BankRange>& ranges, std::size_t point_count) {
  std::vector<std::int64_t> change(point_count + 1, 0);
  for (const BankRange& range : ranges) {
    change[range.life.begin.value] += range.banks().value;
    change[range.life.end.value] -= range.banks().value;
  }
  std::int64_t now = 0;
  std::int64_t peak = 0;
  for (const std::int64_t step : change) peak = std::max(peak, now += step);
  return BankCount(peak);
}

}  // namespace spillway::psum
