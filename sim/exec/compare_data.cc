#include "sim/exec/compare_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "model/hw/fault.h"
#include "sim/values/convert.h"

namespace spillway {
namespace {

std::string ValueAt(DType dtype, std::span<const std::byte> bytes, std::int64_t element) {
  const std::int64_t size = ElementSize(dtype).value;
  const auto packed =
      bytes.subspan(static_cast<std::size_t>(element * size), static_cast<std::size_t>(size));
  std::string hex;
  for (auto byte = packed.rbegin(); byte != packed.rend(); ++byte)
    hex += fmt::format("{:02x}", std::to_integer<int>(*byte));
  if (!IsFloat(dtype)) {
    std::int64_t value = 0;
    DecodeIntegers(dtype, packed, std::span(&value, 1));
    return fmt::format("{} (0x{})", value, hex);
  }
  float value = 0;
  DecodeElements(dtype, packed, std::span(&value, 1));
  return fmt::format("{} (0x{})", value, hex);
}

std::vector<std::int64_t> IndexOf(const Tensor& tensor, std::int64_t element) {
  std::vector<std::int64_t> dims = tensor.blocks;
  dims.insert(dims.end(), tensor.shape.begin(), tensor.shape.end());
  std::vector<std::int64_t> index(dims.size(), 0);
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = element % dims[d];
    element /= dims[d];
  }
  return index;
}

Violation Mismatch(const Tensor& tensor, std::string text) {
  Violation violation;
  violation.kind = Kind::kDataMismatch;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.text = std::move(text);
  return violation;
}

void CompareTensor(const Tensor& tensor, std::span<const std::byte> simulated,
                   std::span<const std::byte> reference, DataComparison& comparison) {
  comparison.compared_bytes += static_cast<std::int64_t>(reference.size());
  const auto same = [](std::byte ours, std::byte theirs) {
    return ours == theirs || SPILLWAY_FAULT(E5, false, ours == std::byte{0xff});
  };
  if (std::equal(simulated.begin(), simulated.end(), reference.begin(), same)) return;
  std::int64_t differing = 0;
  std::int64_t first = -1;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (same(simulated[i], reference[i])) continue;
    if (first < 0) first = static_cast<std::int64_t>(i);
    ++differing;
  }
  comparison.mismatched_bytes += differing;
  const std::int64_t element = first / ElementSize(tensor.dtype).value;
  Violation violation =
      Mismatch(tensor, fmt::format("{}: {} of {} bytes differ, the first at byte {} (index [{}]): "
                                   "simulated {}, reference {}",
                                   tensor.name, differing, reference.size(), first,
                                   fmt::join(IndexOf(tensor, element), ", "),
                                   ValueAt(tensor.dtype, simulated, element),
                                   ValueAt(tensor.dtype, reference, element)));
  violation.range = Interval<ByteOffset>{ByteOffset(first), ByteOffset(first + 1)};
  comparison.violations.push_back(std::move(violation));
}

}  // namespace

DataComparison CompareData(const Kernel& kernel, const NamedData& simulated,
                           const NamedData& reference) {
  DataComparison comparison;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role != Role::kOutput) continue;
    const auto ours = simulated.find(tensor.name);
    const auto theirs = reference.find(tensor.name);
    if (ours != simulated.end() && theirs != reference.end() &&
        ours->second.bytes.size() == theirs->second.bytes.size()) {
      CompareTensor(tensor, ours->second.bytes, theirs->second.bytes, comparison);
      continue;
    }
    const std::size_t have = ours == simulated.end() ? 0 : ours->second.bytes.size();
    const std::size_t want = theirs == reference.end() ? 0 : theirs->second.bytes.size();
    const auto bytes = static_cast<std::int64_t>(std::max(have, want));
    comparison.compared_bytes += bytes;
    comparison.mismatched_bytes += bytes;
    comparison.violations.push_back(Mismatch(
        tensor,
        fmt::format("{}: {} bytes simulated, {} in the reference", tensor.name, have, want)));
  }
  return comparison;
}

}  // namespace spillway
