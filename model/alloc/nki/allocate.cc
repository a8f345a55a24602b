#include "model/alloc/nki/allocate.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "model/alloc/nki/allocation_rule.h"

namespace spillway::nki {

Verified<Kernel> Allocate(const Kernel& kernel, const Assignments& assignments,
                          const Target& target, const AllocationLimits& limits) {
  Kernel placed = kernel;
  std::vector<Violation> violations;
  std::set<std::string, std::less<>> known;
  for (Tensor& tensor : placed.tensors) {
    known.insert(tensor.name);
    const auto assigned = assignments.find(tensor.name);
    if (assigned == assignments.end()) continue;
    Verified<std::vector<Address>> at =
        CreateBufferAllocationOnBlocks(tensor, assigned->second, target, limits);
    if (!at) {
      violations.insert(violations.end(), std::make_move_iterator(at.error().begin()),
                        std::make_move_iterator(at.error().end()));
      continue;
    }
    tensor.at = std::move(*at);
    const ModuloLaw* law = LawOf(assigned->second);
    tensor.alloc = law == nullptr ? std::nullopt : std::optional(*law);
    tensor.by_function = law == nullptr && !std::holds_alternative<AutoAlloc>(assigned->second);
    constexpr std::int64_t kVersionWithFunctions = 2;
    if (tensor.alloc || tensor.by_function)
      placed.version = std::max(placed.version, kVersionWithFunctions);
  }
  for (const auto& [name, func] : assignments) {
    if (known.contains(name)) continue;
    Tensor missing;
    missing.name = name;
    missing.space = SpaceOf(func);
    violations.push_back(BrokenRule(AllocationRule::kUnknownTensor, missing,
                                    "it has an allocation function, but kernel \"" + kernel.name +
                                        "\" has no tensor of that name"));
  }
  if (!violations.empty()) return tl::unexpected(std::move(violations));
  return placed;
}

}  // namespace spillway::nki
