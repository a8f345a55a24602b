#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/alloc/check/rules.h"

namespace spillway::check {
namespace {

// Of the engines, whatever part of it a target's memories have; the same on all generations.
constexpr PartitionCount kQuadrant{32};
constexpr PartitionCount kEngines{4 * kQuadrant.value};

Violation PartitionViolation(Kind kind, const Tensor& tensor, std::string text) {
  Violation violation;
  violation.kind = kind;
  violation.tensors = {tensor.name};
  violation.space = tensor.space;
  violation.text = std::move(text);
  return violation;
}

// What the start of `count` partitions must be a multiple of: accesses begin at a quadrant, those
// of more than a quadrant at a half, and those of more than a half at the first partition.
// LegalStartPartitions is the allocators' version of it.
// Source: trainium_inferentia2_arch, partition rules.
PartitionCount StartStep(PartitionCount count) {
  PartitionCount step = kQuadrant;
  while (step < count && step < kEngines) step = PartitionCount(step.value * 2);
  return step;
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
    const PartitionCount step = StartStep(count);
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
      if (count > kEngines || start < Partition(0) || start.value >= kEngines.value ||
          start.value % step.value != 0) {
        std::vector<std::int64_t> legal;
        for (std::int64_t at = 0; at < kEngines.value && count <= kEngines; at += step.value) {
          legal.push_back(at);
        }
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
