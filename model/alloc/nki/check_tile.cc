#include "model/alloc/nki/check_tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "model/alloc/nki/allocation_rule.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

PartitionCount PartitionsOf(const Target& target, Space space) {
  return space == Space::kSbuf ? target.sbuf_partitions.value : target.psum_partitions.value;
}

std::string LegalStartsText(const std::vector<Partition>& starts) {
  std::vector<std::int64_t> numbers;
  for (const Partition start : starts) numbers.push_back(start.value);
  return fmt::format("{}{}", numbers.size() > 1 ? "one of " : "", fmt::join(numbers, "/"));
}

class TileCheck {
 public:
  TileCheck(const Tensor& tensor, const BlockTuple& tile, const Target& target,
            const AllocationLimits& limits)
      : tensor_(tensor),
        tile_(tile),
        target_(target),
        limits_(limits),
        height_(Partitions(tensor)),
        size_(BlockBytes(tensor)) {}

  std::vector<Violation> Run() {
    if (tensor_.space == Space::kSbuf) CheckSbuf();
    if (tensor_.space == Space::kPsum) CheckPsum();
    return std::move(violations_);
  }

 private:
  void Broken(AllocationRule rule, std::string_view what) {
    violations_.push_back(BrokenRule(
        rule, tensor_,
        fmt::format("block {} at {}: {}", TupleText(tile_.block), TupleText(tile_.tuple), what)));
  }
  void BrokenAt(AllocationRule rule, std::int64_t byte, std::string_view what) {
    Broken(rule, what);
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    const bool wraps = byte > kLargest - size_.value;
    violations_.back().range = {ByteOffset(byte),
                                ByteOffset(wraps ? kLargest : byte + size_.value)};
  }

  void CheckSbuf() {
    const std::size_t length = tile_.tuple.size();
    if (SPILLWAY_FAULT(N33, length != 2, length < 2)) {
      return Broken(AllocationRule::kSbufTuple,
                    fmt::format("Cannot find start_partition for SBUF allocation: {}, expect tuple "
                                "of (start_partition, byte_addr)",
                                TupleText(tile_.tuple)));
    }
    CheckEnd(tile_.tuple[0]);
    CheckTier(tile_.tuple[0]);
    CheckWindow(tile_.tuple[1]);
    CheckAlignment(tile_.tuple[1]);
  }

  void CheckEnd(std::int64_t start) {
    const PartitionCount all = PartitionsOf(target_, tensor_.space);
    const bool inside = start >= 0 && start <= all.value - height_.value;
    if (SPILLWAY_FAULT(N34, inside, start >= 0 && start < all.value)) return;
    Broken(AllocationRule::kPartitionEnd,
           fmt::format("start_partition {} with {} partitions leaves the {} partitions of {}",
                       start, height_.value, all.value, SpaceName(tensor_.space)));
  }

  void CheckTier(std::int64_t start) {
    const PartitionCount height = SPILLWAY_FAULT(
        N20, height_, PartitionCount(height_.value + (fault::IsVariant(0) ? -1 : 1)));
    const std::vector<Partition> starts = LegalStartPartitions(height);
    // Tiles of no partitions or too many: CheckTileSize has said so.
    if (starts.empty() || std::find(starts.begin(), starts.end(), Partition(start)) != starts.end())
      return;
    Broken(AllocationRule::kSbufStartPartition,
           fmt::format("Cannot find start_partition for SBUF allocation: {} with pdim_size {}, "
                       "expected {}",
                       start, height_.value, LegalStartsText(starts)));
  }

  void CheckWindow(std::int64_t byte) {
    const Bytes usable = limits_.sbuf_bytes.value_or(target_.sbuf_usable_bytes.value);
    // N21: the window that seed 000 misprints, 184320 for 180224.
    const Bytes window = SPILLWAY_FAULT(N21, usable, usable + Bytes(4096));
    if (byte < 0 || byte >= window.value) {
      return BrokenAt(AllocationRule::kSbufWindow, byte,
                      fmt::format("byte_addr {} with fdim_size {} lies outside of [0, {}), the "
                                  "usable bytes of a partition of {}, which hold {} such tile(s)",
                                  byte, size_.value, window.value, target_.name, TilesIn(window)));
    }
    const Bytes end = SPILLWAY_FAULT(N23, window, window - Bytes(1));
    const bool fits = SPILLWAY_FAULT(N22, byte <= end.value - size_.value, true);
    if (fits) return;
    BrokenAt(AllocationRule::kSbufTileEnd, byte,
             fmt::format("byte_addr {} with fdim_size {} ends at {}, past the {} usable bytes of a "
                         "partition of {}, which hold {} such tile(s)",
                         byte, size_.value, byte + size_.value, window.value, target_.name,
                         TilesIn(window)));
  }

  std::int64_t TilesIn(Bytes window) const { return window / std::max(size_, Bytes(1)); }

  void CheckAlignment(std::int64_t byte) {
    const Bytes align = SPILLWAY_FAULT(N24, target_.sbuf_min_align.value,
                                       fault::IsVariant(0) ? target_.sbuf_granule.value : Bytes(1));
    if (byte % align.value == 0) return;
    BrokenAt(AllocationRule::kSbufAlignment, byte,
             fmt::format("byte_addr {} does not satisfy minimum alignment requirement {}", byte,
                         align.value));
  }

  void CheckPsum() {
    if (tile_.tuple.size() != 3) {
      return Broken(AllocationRule::kPsumTuple,
                    fmt::format("Cannot find bank_id for PSUM allocation: {}, expect tuple of "
                                "(bank_id, start_partition, byte_addr)",
                                TupleText(tile_.tuple)));
    }
    CheckBank(tile_.tuple[0]);
    CheckEnd(tile_.tuple[1]);
    if (SPILLWAY_FAULT(N29, tile_.tuple[1] != 0, !fault::IsVariant(0) && tile_.tuple[1] != 0)) {
      Broken(AllocationRule::kPsumStartPartition,
             fmt::format("start_partition {} must be 0 in PSUM", tile_.tuple[1]));
    }
    if (SPILLWAY_FAULT(N29, tile_.tuple[2] != 0, !fault::IsVariant(1) && tile_.tuple[2] != 0)) {
      Broken(
          AllocationRule::kPsumByteAddr,
          fmt::format("byte_addr {} must be 0 in PSUM: a tile starts at its bank", tile_.tuple[2]));
    }
  }

  void CheckBank(std::int64_t bank) {
    const BankCount banks = limits_.psum_banks.value_or(UsablePsumBanks(target_));
    const std::int64_t end = SPILLWAY_FAULT(N27, banks.value, banks.value + 1);
    if (bank >= 0 && bank < end) return;
    Broken(AllocationRule::kPsumBank,
           fmt::format("Cannot find bank_id for PSUM allocation: {}, {} has the banks 0 to {}",
                       bank, target_.name, banks.value - 1));
  }

  const Tensor& tensor_;
  const BlockTuple& tile_;
  const Target& target_;
  const AllocationLimits& limits_;
  PartitionCount height_;
  Bytes size_;
  std::vector<Violation> violations_;
};

}  // namespace

bool IsCountable(const Tensor& tensor) {
  constexpr std::int64_t kMostTileBytes = std::int64_t{1} << 40;
  if (tensor.shape.empty()) return false;
  std::int64_t bytes = ElementSize(tensor.dtype).value;
  for (std::size_t d = 1; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] < 1 || tensor.shape[d] > kMostTileBytes / bytes) return false;
    bytes *= tensor.shape[d];
  }
  return true;
}

std::vector<Violation> CheckTileSize(const Tensor& tensor, const Target& target) {
  std::vector<Violation> violations;
  const PartitionCount height = Partitions(tensor);
  const PartitionCount all = PartitionsOf(target, tensor.space);
  if (height < PartitionCount(1) || height > all) {
    violations.push_back(BrokenRule(AllocationRule::kPartitionCount, tensor,
                                    fmt::format("pdim_size {} isn't between 1 and the {} "
                                                "partitions of {}",
                                                height.value, all.value, SpaceName(tensor.space))));
  }
  const Bytes bank = SPILLWAY_FAULT(N28, target.psum_bank_bytes.value,
                                    target.psum_bank_bytes.value * target.psum_banks.value.value);
  if (tensor.space == Space::kPsum && BlockBytes(tensor) > bank) {
    violations.push_back(
        BrokenRule(AllocationRule::kPsumTileSize, tensor,
                   fmt::format("fdim_size {} exceeds the {} bytes of a PSUM bank, and a tile can't "
                               "span banks",
                               BlockBytes(tensor).value, bank.value)));
  }
  return violations;
}

std::vector<Violation> CheckTile(const Tensor& tensor, const BlockTuple& tile, const Target& target,
                                 const AllocationLimits& limits) {
  return TileCheck(tensor, tile, target, limits).Run();
}

}  // namespace spillway::nki
