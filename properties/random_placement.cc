#include "properties/random_placement.h"

#include <algorithm>
#include <vector>

namespace spillway {
namespace {

std::int64_t RoundUpTo(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

class Placer {
 public:
  Placer(const Target& target, std::span<const std::uint8_t> bytes)
      : target_(target), bytes_(bytes) {}

  Address Sbuf(const Tensor& tensor) {
    const std::uint8_t choice = Next();
    const std::int64_t granule = target_.sbuf_granule.value.value;
    const std::int64_t size = RoundUpTo(BlockBytes(tensor).value, granule);
    std::int64_t byte = sbuf_end_;
    if (choice % 4 == 3 && sbuf_end_ > 0) {
      byte = choice / 4 % (sbuf_end_ / granule) * granule;
    }
    if (byte + size > target_.sbuf_usable_bytes.value.value) byte = 0;
    sbuf_end_ = std::max(sbuf_end_, byte + size);
    return {StartFor(tensor, choice), ByteOffset(byte)};
  }

  Address Psum(const Tensor& tensor) {
    const std::uint8_t choice = Next();
    const std::int64_t bank_bytes = target_.psum_bank_bytes.value.value;
    // A tile of several banks starts where the last of them still is one.
    const std::int64_t taken = RoundUpTo(BlockBytes(tensor).value, bank_bytes) / bank_bytes;
    const std::int64_t starts =
        std::max<std::int64_t>(1, UsablePsumBanks(target_).value - taken + 1);
    const std::int64_t bank = choice % 4 == 3 ? choice / 4 % starts : next_bank_++ % starts;
    return {StartFor(tensor, choice), ByteOffset(bank * bank_bytes)};
  }

 private:
  std::uint8_t Next() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }

  static Partition StartFor(const Tensor& tensor, std::uint8_t choice) {
    const std::vector<Partition> starts = LegalStartPartitions(Partitions(tensor));
    return starts[choice / 64u % starts.size()];
  }

  const Target& target_;
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::int64_t sbuf_end_ = 0;
  std::int64_t next_bank_ = 0;
};

}  // namespace

Placement DecodePlacement(const Kernel& kernel, const Target& target,
                          std::span<const std::uint8_t> bytes) {
  Placer placer(target, bytes);
  Placement placement;
  placement.addresses.resize(kernel.tensors.size());
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space == Space::kDram) continue;
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      placement.addresses[TensorId(t)].push_back(
          tensor.space == Space::kSbuf ? placer.Sbuf(tensor) : placer.Psum(tensor));
    }
  }
  return placement;
}

}  // namespace spillway
