#include "model/alloc/nki/check_addresses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway::nki {
namespace {

struct Needs {
  std::int64_t accessed = 0;
  std::vector<std::string> without;  ///< a place
};

Needs NeedsIn(const LinearKernel& linear, Space space) {
  Needs needs;
  for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
    const Tensor& tensor = linear.kernel.tensors[TensorId(t)];
    if (tensor.space != space || linear.accesses_of[TensorId(t)].empty()) continue;
    ++needs.accessed;
    if (tensor.at.empty()) needs.without.push_back(tensor.name);
  }
  return needs;
}

}  // namespace

CheckResult CheckAddresses(const LinearKernel& linear) {
  CheckResult check{"addresses", 0, {}};
  for (const Space space : {Space::kSbuf, Space::kPsum}) {
    Needs needs = NeedsIn(linear, space);
    check.checked += needs.accessed;
    if (needs.without.empty()) continue;
    Violation violation;
    violation.kind = Kind::kMixedAllocation;
    violation.space = space;
    violation.text =
        fmt::format("{} of {} accessed tensors in {} have no place: \"{}\"", needs.without.size(),
                    needs.accessed, SpaceName(space), fmt::join(needs.without, "\", \""));
    violation.tensors = std::move(needs.without);
    check.violations.push_back(std::move(violation));
  }
  return check;
}

bool IsAutomatic(const LinearKernel& linear, Space space) {
  const Needs here = NeedsIn(linear, space);
  const Needs there = NeedsIn(linear, space == Space::kSbuf ? Space::kPsum : Space::kSbuf);
  const auto placed = [](const Needs& needs) {
    return needs.accessed - static_cast<std::int64_t>(needs.without.size());
  };
  return here.accessed > 0 && placed(here) == 0 && placed(there) > 0;
}

}  // namespace spillway::nki
