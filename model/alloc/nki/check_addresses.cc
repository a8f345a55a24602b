#include "model/alloc/nki/check_addresses.h"

#include <fmt/format.h>

namespace spillway::nki {

CheckResult CheckAddresses(const LinearKernel& linear, const CompilePlan& plan) {
  CheckResult check{"addresses", 0, {}};
  if (!plan.needs_addresses()) return check;
  for (const Space space : {Space::kSbuf, Space::kPsum}) {
    std::vector<std::string> without;
    std::int64_t accessed = 0;
    for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
      const Tensor& tensor = linear.kernel.tensors[TensorId(t)];
      if (tensor.space != space || linear.accesses_of[TensorId(t)].empty()) continue;
      ++accessed;
      if (tensor.at.empty()) without.push_back(tensor.name);
    }
    check.checked += accessed;
    for (const std::string& name : without) {
      Violation violation;
      violation.kind = Kind::kMixedAllocation;
      violation.tensors = {name};
      violation.space = space;
      violation.text = fmt::format(
          "tensor {} in {} has no address: expected one from the author, since the kernel's "
          "options skip the allocators; {} of {} accessed tensors there have none",
          name, SpaceName(space), without.size(), accessed);
      check.violations.push_back(std::move(violation));
    }
  }
  return check;
}

}  // namespace spillway::nki
