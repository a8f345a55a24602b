#include "model/alloc/check/placement_checker.h"

#include <fmt/format.h>

#include <limits>

#include "model/alloc/check/rules.h"

namespace spillway {

namespace check {

const std::vector<Address>& Subject::AddressesOf(TensorId tensor) const {
  static const std::vector<Address> kNone;
  return placement.addresses.contains(tensor) ? placement.addresses[tensor] : kNone;
}

std::string NameOf(const Tensor& tensor, std::size_t block) {
  return tensor.blocks.empty() ? tensor.name : fmt::format("{} block {}", tensor.name, block);
}

Interval<ByteOffset> BytesOf(const Tensor& tensor, const Address& address) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const std::int64_t size = BlockBytes(tensor).value;
  const std::int64_t start = address.byte.value;
  const bool wraps = start > kLargest - size;
  return {address.byte, ByteOffset(wraps ? kLargest : start + size)};
}

}  // namespace check

std::vector<CheckResult> CheckPlacement(const LinearKernel& linear, const Placement& placement,
                                        const Target& target, const CheckOptions& options) {
  const check::Subject subject{linear, placement, target, options};
  return {check::CheckBounds(subject),    check::CheckPartitions(subject),
          check::CheckAlignment(subject), check::CheckPsumBanks(subject),
          check::CheckOverlap(subject),   check::CheckAccumulation(subject)};
}

}  // namespace spillway
