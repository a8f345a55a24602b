#include <fmt/format.h>

#include "model/alloc/check/rules.h"

namespace spillway::check {
namespace {

// Source: colorer.md §6. A page of the allocator of DRAM homes, not a number of the machine.
constexpr Bytes kPage{4096};

Violation Misaligned(const Tensor& tensor, const Interval<ByteOffset>& bytes, std::string text) {
  Violation violation;
  violation.kind = Kind::kMisaligned;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.range = bytes;
  violation.text = std::move(text);
  return violation;
}

void CheckSbuf(const Subject& subject, const Tensor& tensor, const std::vector<Address>& addresses,
               CheckResult& result) {
  const bool is_fixed = !tensor.at.empty();
  const Bytes step =
      is_fixed ? subject.target.sbuf_min_align.value : subject.target.sbuf_granule.value;
  for (std::size_t block = 0; block < addresses.size(); ++block) {
    ++result.checked;
    if (addresses[block].byte.value % step.value == 0) continue;
    result.violations.push_back(Misaligned(
        tensor, BytesOf(tensor, addresses[block]),
        fmt::format("{} starts at byte {}, not a multiple of {} ({})", NameOf(tensor, block),
                    addresses[block].byte.value, step.value,
                    is_fixed ? "the target's smallest alignment" : "the allocator's granule")));
  }
}

void CheckHome(const Tensor& tensor, const std::vector<Address>& addresses, CheckResult& result) {
  for (std::size_t block = 0; block < addresses.size(); ++block) {
    ++result.checked;
    const Interval<ByteOffset> bytes = BytesOf(tensor, addresses[block]);
    const bool is_large = BlockBytes(tensor) >= kPage;
    if ((block == 0 || is_large) && bytes.begin.value % kPage.value != 0) {
      result.violations.push_back(
          Misaligned(tensor, bytes,
                     fmt::format("{} starts at byte {} of DRAM, not a multiple of {}",
                                 NameOf(tensor, block), bytes.begin.value, kPage.value)));
    }
    if (!is_large && !bytes.empty() &&
        bytes.begin.value / kPage.value != (bytes.end.value - 1) / kPage.value) {
      result.violations.push_back(Misaligned(
          tensor, bytes,
          fmt::format("{} holds bytes [{}, {}) of DRAM, across a page of {}", NameOf(tensor, block),
                      bytes.begin.value, bytes.end.value, kPage.value)));
    }
  }
}

}  // namespace

CheckResult CheckAlignment(const Subject& subject) {
  CheckResult result{"alignment", 0, {}};
  for (std::size_t i = 0; i < subject.kernel().tensors.size(); ++i) {
    const Tensor& tensor = subject.kernel().tensors[TensorId(i)];
    const std::vector<Address>& addresses = subject.AddressesOf(TensorId(i));
    if (tensor.space == Space::kSbuf) CheckSbuf(subject, tensor, addresses, result);
    if (tensor.space == Space::kDram && tensor.at.empty()) CheckHome(tensor, addresses, result);
  }
  return result;
}

}  // namespace spillway::check
