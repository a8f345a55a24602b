#include <fmt/format.h>

#include "model/alloc/check/rules.h"

namespace spillway::check {
namespace {

// What is wrong with a tile at `bytes`, if anything; the worst first.
std::string FaultOf(const Subject& subject, const Interval<ByteOffset>& bytes) {
  const std::int64_t bank = subject.target.psum_bank_bytes.value.value;
  const std::int64_t banks = subject.psum_banks().value;
  const std::int64_t first = bytes.begin.value / bank;
  const std::int64_t last = (bytes.end.value - 1) / bank;
  if (bytes.begin < ByteOffset(0) || last >= banks) {
    return fmt::format("reaches bank {}, but {} has the banks 0 to {}",
                       bytes.begin < ByteOffset(0) ? -1 : last, subject.target.name, banks - 1);
  }
  if (bytes.end - bytes.begin > Bytes(bank)) {
    if (bytes.begin.value % bank == 0) return {};
    return fmt::format("takes more than a bank of {} bytes and doesn't start at a bank", bank);
  }
  if (first != last)
    return fmt::format("crosses from bank {} to bank {} of {} bytes", first, last, bank);
  const std::int64_t align = subject.target.psum_min_align.value.value;
  if (bytes.begin.value % align != 0)
    return fmt::format("doesn't start at a multiple of {} bytes", align);
  return {};
}

}  // namespace

CheckResult CheckPsumBanks(const Subject& subject) {
  CheckResult result{"psum-bank", 0, {}};
  for (std::size_t i = 0; i < subject.kernel().tensors.size(); ++i) {
    const Tensor& tensor = subject.kernel().tensors[TensorId(i)];
    if (tensor.space != Space::kPsum || BlockBytes(tensor) == Bytes(0)) continue;
    const std::vector<Address>& addresses = subject.AddressesOf(TensorId(i));
    for (std::size_t block = 0; block < addresses.size(); ++block) {
      ++result.checked;
      const Interval<ByteOffset> bytes = BytesOf(tensor, addresses[block]);
      const std::string fault = FaultOf(subject, bytes);
      if (fault.empty()) continue;
      Violation violation;
      violation.kind = Kind::kPsumBank;
      violation.tensors = {tensor.name};
      violation.space = Space::kPsum;
      violation.range = bytes;
      violation.text = fmt::format("{} at bytes [{}, {}) {}", NameOf(tensor, block),
                                   bytes.begin.value, bytes.end.value, fault);
      result.violations.push_back(std::move(violation));
    }
  }
  return result;
}

}  // namespace spillway::check
