#include "model/alloc/nki/verify_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/nki/allocation_rule.h"
#include "model/alloc/nki/check_tile.h"
#include "model/alloc/nki/evaluate_alloc_func.h"
#include "model/alloc/nki/implicit_tensors.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

using Names = std::vector<std::string>;

void Append(std::vector<Violation>& all, std::vector<Violation> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string Quoted(const Names& names) { return fmt::format("\"{}\"", fmt::join(names, "\", \"")); }

Violation BrokenByMany(AllocationRule rule, Names tensors, std::optional<Space> space,
                       std::string_view what) {
  const AllocationRuleRow& row = RowOf(rule);
  Violation violation;
  violation.kind = row.kind;
  violation.tensors = std::move(tensors);
  violation.space = space;
  violation.text = fmt::format("{} {}", what, WhereToRead(row));
  return violation;
}

bool LiesByItsLaw(const Tensor& tensor) {
  return tensor.alloc && BoundedBlockCount(tensor) && IsCountable(tensor) &&
         FollowsModuloLaw(tensor);
}

bool IsDirect(const Tensor& tensor, const KernelRules& rules) {
  if (tensor.space == Space::kDram) return false;
  if (SPILLWAY_FAULT(N38, false, !tensor.at.empty())) return true;
  return LiesByItsLaw(tensor) || (tensor.by_function && !tensor.at.empty()) ||
         rules.assigned.contains(tensor.name);
}

/// The tensor's places as an author's function that returns them.
AllocFunc FunctionOf(const Tensor& tensor) {
  if (LiesByItsLaw(tensor)) {
    if (tensor.space == Space::kSbuf) return SbufModuloAllocFunc{*tensor.alloc};
    return PsumModuloAllocFunc{*tensor.alloc};
  }
  const auto place_of = [&tensor](std::span<const std::int64_t> block) {
    std::size_t number = 0;
    for (std::size_t d = 0; d < block.size(); ++d) {
      number =
          number * static_cast<std::size_t>(tensor.blocks[d]) + static_cast<std::size_t>(block[d]);
    }
    return tensor.at.at(number);
  };
  if (tensor.space == Space::kSbuf) {
    return SbufAllocFunc{[place_of](std::span<const std::int64_t> block, PartitionCount, Bytes) {
      const Address place = place_of(block);
      return std::vector<std::int64_t>{place.partition.value, place.byte.value};
    }};
  }
  return PsumAllocFunc{[place_of](std::span<const std::int64_t> block, PartitionCount, Bytes) {
    const Address place = place_of(block);
    const std::int64_t bank = kAddressBankBytes.value;
    // A negative byte is in bank -1, not in bank 0.
    const std::int64_t in_bank = ((place.byte.value % bank) + bank) % bank;
    return std::vector<std::int64_t>{(place.byte.value - in_bank) / bank, place.partition.value,
                                     in_bank};
  }};
}

std::vector<Violation> VerifyPlaces(const Tensor& tensor, const Target& target,
                                    const AllocationLimits& limits) {
  const std::optional<std::int64_t> blocks = BoundedBlockCount(tensor);
  if (blocks && static_cast<std::size_t>(*blocks) != tensor.at.size()) {
    return {BrokenRule(AllocationRule::kAddressCount, tensor,
                       fmt::format("{} block(s), but {} address(es)", *blocks, tensor.at.size()))};
  }
  return VerifyAllocation(tensor, FunctionOf(tensor), target, limits);
}

std::optional<Violation> FindMixing(const Kernel& kernel, std::optional<Space> space) {
  Names direct;
  Names automatic;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.space == Space::kDram || (space && tensor.space != *space)) continue;
    (tensor.at.empty() ? automatic : direct).push_back(tensor.name);
  }
  if (SPILLWAY_FAULT(B24, direct.empty() || automatic.empty(), true)) return std::nullopt;
  const std::string text = fmt::format(
      "{}: automatic and direct allocation are mixed: {} tensor(s) have places ({}), {} have none "
      "({}); allocate all or none of them, or use force_auto_alloc, which ignores places",
      space ? SpaceName(*space) : "SBUF and PSUM", direct.size(), Quoted(direct), automatic.size(),
      Quoted(automatic));
  return BrokenByMany(AllocationRule::kMixedAllocation, automatic, space, text);
}

std::vector<Violation> FindMixing(const Kernel& kernel, MixingScope scope) {
  std::vector<Violation> violations;
  const bool per_kernel =
      SPILLWAY_FAULT(N40, scope == MixingScope::kKernel, scope != MixingScope::kKernel);
  const std::vector<std::optional<Space>> spaces =
      per_kernel ? std::vector<std::optional<Space>>{std::nullopt}
                 : std::vector<std::optional<Space>>{Space::kSbuf, Space::kPsum};
  for (const std::optional<Space>& space : spaces) {
    if (std::optional<Violation> mixed = FindMixing(kernel, space))
      violations.push_back(std::move(*mixed));
  }
  return violations;
}

/// Tensors that saves alone write: the homes of an allocator's spill code.
std::set<TensorId> SpillHomes(const Kernel& kernel) {
  std::set<TensorId> homes;
  std::set<TensorId> others;
  for (const Instruction& instruction : kernel.instructions) {
    for (const OperandGroup& group : instruction.outputs) {
      for (const Operand& operand : group.operands)
        (instruction.spill == SpillRole::kSave ? homes : others).insert(operand.tensor);
    }
  }
  std::set<TensorId> only;
  std::set_difference(homes.begin(), homes.end(), others.begin(), others.end(),
                      std::inserter(only, only.end()));
  return only;
}

std::vector<Violation> FindDramTensors(const Kernel& kernel) {
  const std::set<TensorId> homes = SpillHomes(kernel);
  Names names;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kDram || tensor.role != Role::kInternal) continue;
    if (!homes.contains(TensorId(t))) names.push_back(tensor.name);
  }
  if (names.empty()) return {};
  const Names listed = SPILLWAY_FAULT(N41, names, Names{names.front()});
  return {BrokenByMany(
      AllocationRule::kDramTensor, listed, Space::kDram,
      fmt::format("{} DRAM tensor(s) are neither inputs nor outputs of the kernel: {}; a directly "
                  "allocated kernel has none of its own, so pass or return them",
                  listed.size(), Quoted(listed)))};
}

std::vector<Violation> FindInitialValues(const Kernel& kernel) {
  std::vector<Violation> violations;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.space == Space::kDram || tensor.role != Role::kConstant) continue;
    violations.push_back(BrokenRule(
        AllocationRule::kInitialValue, tensor,
        fmt::format("a tensor of {} can't be created with initial values: create it empty and fill "
                    "it, by memset or from DRAM",
                    SpaceName(tensor.space))));
  }
  return violations;
}

std::vector<Violation> FindUnknownNames(const Kernel& kernel, const KernelRules& rules) {
  std::set<std::string, std::less<>> unknown = rules.assigned;
  for (const Tensor& tensor : kernel.tensors) unknown.erase(tensor.name);
  std::vector<Violation> violations;
  for (const std::string& name : unknown) {
    violations.push_back(
        BrokenByMany(AllocationRule::kUnknownTensor, {name}, std::nullopt,
                     fmt::format("tensor \"{}\" is said to have an allocation function, but kernel "
                                 "\"{}\" has no tensor of that name",
                                 name, kernel.name)));
  }
  return violations;
}

}  // namespace

bool IsDirectlyAllocated(const Kernel& kernel, const KernelRules& rules) {
  if (BoolAttr(kernel.opts, "force_auto_alloc", false)) return false;
  return std::any_of(kernel.tensors.begin(), kernel.tensors.end(),
                     [&rules](const Tensor& tensor) { return IsDirect(tensor, rules); });
}

CheckResult VerifyKernel(const Kernel& kernel, const Target& target, const KernelRules& rules) {
  CheckResult result{"allocation", 0, {}};
  Append(result.violations, FindUnknownNames(kernel, rules));
  if (!IsDirectlyAllocated(kernel, rules)) return result;
  result.checked = static_cast<std::int64_t>(kernel.tensors.size() + kernel.instructions.size());
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.space == Space::kDram || tensor.at.empty()) continue;
    Append(result.violations, VerifyPlaces(tensor, target, rules.limits));
  }
  Append(result.violations, FindMixing(kernel, rules.mixing));
  Append(result.violations, FindImplicitTensors(kernel));
  Append(result.violations, FindDramTensors(kernel));
  Append(result.violations, FindInitialValues(kernel));
  return result;
}

}  // namespace spillway::nki
