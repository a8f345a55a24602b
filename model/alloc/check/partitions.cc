#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/alloc/check/rules.h"

namespace spillway::check {
namespace {

Violation PartitionViolation(Kind kind, const Tensor& tensor, std::string text) {
  Violation violation;
  violation.kind = kind;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.text = std::move(text);
  return violation;
}

}  // namespace

CheckResult CheckPartitions(const Subject& subject) {
  CheckResult result{"partitions", 0, {}};
  for (std::size_t i = 0; i < subject.kernel().tensors.size(); ++i) {
    const Tensor& tensor = subject.kernel().tensors[TensorId(i)];
    if (tensor.space == Space::kDram) continue;
    const PartitionCount all = tensor.space == Space::kSbuf ? subject.target.sbuf_partitions.value
                                                            : subject.target.psum_partitions.value;
    const PartitionCount count = Partitions(tensor);
    const std::vector<Partition> starts = LegalStartPartitions(count);
    const std::vector<Address>& addresses = subject.AddressesOf(TensorId(i));
    for (std::size_t block = 0; block < addresses.size(); ++block) {
      ++result.checked;
      const Partition start = addresses[block].partition;
      if (start < Partition(0) || start.value > all.value - count.value) {
        result.violations.push_back(PartitionViolation(
            Kind::kPartitionRange, tensor,
            fmt::format(
                "{} starts at partition {} with {} partitions, past the {} partitions of {}",
                NameOf(tensor, block), start.value, count.value, all.value,
                SpaceName(tensor.space))));
      }
      if (std::find(starts.begin(), starts.end(), start) == starts.end()) {
        std::vector<std::int64_t> legal;
        for (const Partition partition : starts) legal.push_back(partition.value);
        result.violations.push_back(PartitionViolation(
            Kind::kStartPartition, tensor,
            fmt::format("{} starts at partition {}; {} partitions may start at {}",
                        NameOf(tensor, block), start.value, count.value, fmt::join(legal, ", "))));
      }
    }
  }
  return result;
}

}  // namespace spillway::check
