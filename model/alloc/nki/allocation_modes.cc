#include "model/alloc/nki/allocation_modes.h"

#include <fmt/format.h>

#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

std::string_view Giver(PlannedAllocator allocator) {
  return allocator == PlannedAllocator::kStack ? "the stack allocator" : "the author";
}

}  // namespace

CheckResult CheckAllocationModes(const LinearKernel& linear, const CompilePlan& plan) {
  CheckResult check{"allocation-modes", 0, {}};
  if (plan.ignore_at) return check;
  for (const Space space : {Space::kSbuf, Space::kPsum}) {
    std::vector<const Tensor*> automatic;
    std::vector<const Tensor*> direct;
    for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
      const Tensor& tensor = linear.kernel.tensors[TensorId(t)];
      if (tensor.space != space || linear.accesses_of[TensorId(t)].empty()) continue;
      (tensor.at.empty() ? automatic : direct).push_back(&tensor);
    }
    check.checked += static_cast<std::int64_t>(automatic.size() + direct.size());
    const bool is_mixed = SPILLWAY_FAULT(B24, !direct.empty(), false);
    if (!plan.needs_addresses() && !is_mixed) continue;
    for (const Tensor* tensor : automatic) {
      Violation violation;
      violation.kind = Kind::kMixedAllocation;
      violation.tensors = {tensor->name};
      violation.space = space;
      if (plan.needs_addresses()) {
        violation.text = fmt::format(
            "tensor {} in {} has no address: expected one from {}, since the kernel's options skip "
            "the allocators; {} of {} tensors there have none",
            tensor->name, SpaceName(space), Giver(plan.allocator), automatic.size(),
            automatic.size() + direct.size());
      } else {
        violation.tensors.push_back(direct.front()->name);
        violation.text = fmt::format(
            "tensor {} in {} has no address and {} has one: expected all {} tensors there to be "
            "automatic, or all to be direct, found {} and {}; force_auto_alloc ignores addresses",
            tensor->name, SpaceName(space), direct.front()->name, automatic.size() + direct.size(),
            automatic.size(), direct.size());
      }
      check.violations.push_back(std::move(violation));
    }
  }
  return check;
}

}  // namespace spillway::nki
