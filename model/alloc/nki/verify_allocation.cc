#include "model/alloc/nki/verify_allocation.h"

#include <fmt/format.h>

#include <iterator>

#include "model/alloc/nki/allocation_rule.h"
#include "model/alloc/nki/check_modulo_law.h"
#include "model/alloc/nki/check_tile.h"
#include "model/alloc/nki/evaluate_alloc_func.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

void Append(std::vector<Violation>& all, std::vector<Violation> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

const TileFunction* FunctionOf(const AllocFunc& func) {
  if (const auto* sbuf = std::get_if<SbufAllocFunc>(&func)) return &sbuf->func;
  if (const auto* psum = std::get_if<PsumAllocFunc>(&func)) return &psum->func;
  return nullptr;
}

/// The tuples, and everything that stands against them.
BlockTuples VerifyTuples(const Tensor& tensor, const AllocFunc& func, const Target& target,
                         const AllocationLimits& limits) {
  BlockTuples result;
  if (SpaceOf(func) != tensor.space) {
    result.violations.push_back(
        BrokenRule(AllocationRule::kMemory, tensor,
                   fmt::format("{} allocates {}, but the tensor lies in {}", ApiName(func),
                               SpaceName(SpaceOf(func)), SpaceName(tensor.space))));
    return result;
  }
  if (std::holds_alternative<AutoAlloc>(func)) return result;
  if (!BoundedBlockCount(tensor)) {
    result.violations.push_back(BrokenRule(
        AllocationRule::kBlockCount, tensor,
        fmt::format("{} has not between 1 and {} blocks", TupleText(tensor.blocks), kMostBlocks)));
    return result;
  }
  if (!IsCountable(tensor)) {
    result.violations.push_back(BrokenRule(
        AllocationRule::kTensorShape, tensor,
        fmt::format("{} isn't a partition dimension and free dimensions of at least 1, of at most "
                    "2^40 bytes a partition",
                    TupleText(tensor.shape))));
    return result;
  }
  std::vector<Violation> violations = CheckTileSize(tensor, target);
  if (const ModuloLaw* law = LawOf(func)) {
    LawVerdict verdict = CheckModuloLaw(tensor, *law, target);
    Append(violations, std::move(verdict.violations));
    if (verdict.evaluable) result = EvaluateLaw(tensor, *verdict.evaluable);
  } else {
    result = EvaluateTileFunction(tensor, *FunctionOf(func));
  }
  Append(violations, std::move(result.violations));
  for (const BlockTuple& tile : result.tuples) {
    Append(violations, CheckTile(tensor, tile, target, limits));
    if (SPILLWAY_FAULT(N30, false, !violations.empty())) break;
  }
  for (Violation& violation : violations)
    violation.text = fmt::format("{} of {}", ApiName(func), violation.text);
  result.violations = std::move(violations);
  return result;
}

}  // namespace

std::vector<Violation> VerifyAllocation(const Tensor& tensor, const AllocFunc& func,
                                        const Target& target, const AllocationLimits& limits) {
  return VerifyTuples(tensor, func, target, limits).violations;
}

Verified<std::vector<Address>> CreateBufferAllocationOnBlocks(const Tensor& tensor,
                                                              const AllocFunc& func,
                                                              const Target& target,
                                                              const AllocationLimits& limits) {
  BlockTuples verified = VerifyTuples(tensor, func, target, limits);
  if (!verified.violations.empty()) return tl::unexpected(std::move(verified.violations));
  std::vector<Address> addresses;
  addresses.reserve(verified.tuples.size());
  for (const auto& [block, tuple] : verified.tuples) {
    if (tensor.space == Space::kSbuf) {
      addresses.push_back({Partition(tuple[0]), ByteOffset(tuple[1])});
    } else {
      const Bytes bank_start = kAddressBankBytes * tuple[0];
      addresses.push_back({Partition(tuple[1]), ByteOffset(tuple[2]) + bank_start});
    }
  }
  return addresses;
}

}  // namespace spillway::nki
