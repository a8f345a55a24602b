#include <fmt/format.h>

#include "model/alloc/check/rules.h"

namespace spillway::check {
namespace {

Violation OutOfRange(const Tensor& tensor, std::string text) {
  Violation violation;
  violation.kind = Kind::kOutOfRange;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.text = std::move(text);
  return violation;
}

}  // namespace

CheckResult CheckBounds(const Subject& subject) {
  CheckResult result{"bounds", 0, {}};
  for (std::size_t i = 0; i < subject.kernel().tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = subject.kernel().tensors[id];
    const std::vector<Address>& addresses = subject.AddressesOf(id);
    const bool needs_place = tensor.space != Space::kDram &&
                             tensor.space != subject.options.automatic &&
                             !subject.linear.accesses_of[id].empty();
    if (addresses.empty() && !needs_place) continue;
    ++result.checked;
    const auto blocks = static_cast<std::size_t>(BlockCount(tensor));
    if (addresses.size() != blocks) {
      result.violations.push_back(
          OutOfRange(tensor, fmt::format("{} has {} block(s) but {} address(es)", tensor.name,
                                         blocks, addresses.size())));
    }
    if (!tensor.at.empty() && addresses != tensor.at && !addresses.empty()) {
      result.violations.push_back(OutOfRange(
          tensor,
          fmt::format("{} is fixed at partition {} byte {} but was placed elsewhere", tensor.name,
                      tensor.at.front().partition.value, tensor.at.front().byte.value)));
    }
    // PSUM has its own rule: there, the end of the last bank is the end of the memory.
    if (tensor.space == Space::kPsum) continue;
    const Bytes capacity =
        tensor.space == Space::kSbuf ? subject.sbuf_bytes() : subject.target.dram_bytes.value;
    for (std::size_t block = 0; block < addresses.size(); ++block) {
      const Interval<ByteOffset> bytes = BytesOf(tensor, addresses[block]);
      if (bytes.begin >= ByteOffset(0) && bytes.end <= ByteOffset(capacity.value)) continue;
      Violation violation = OutOfRange(
          tensor,
          fmt::format("{} starts at byte {} and ends at byte {}, past the {} usable bytes {} of {}",
                      NameOf(tensor, block), bytes.begin.value, bytes.end.value, capacity.value,
                      tensor.space == Space::kSbuf ? "per partition" : "of DRAM",
                      subject.target.name));
      violation.range = bytes;
      result.violations.push_back(std::move(violation));
    }
  }
  return result;
}

}  // namespace spillway::check
