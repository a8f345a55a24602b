#include "model/alloc/sbuf/live_ranges.h"

#include <algorithm>

#include "model/alloc/ir/exposure.h"
#include "model/alloc/ir/live_intervals.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

// Whether at most one index of block axis `axis` is live at any time.
bool IsShrinkable(const LinearKernel& linear, const std::vector<PointAccess>& accesses,
                  std::size_t axis) {
  const AffineExpr* index = nullptr;
  for (const PointAccess& access : accesses) {
    const Access& a = linear.accesses[access.point][access.access];
    if (a.operand == nullptr || a.whole_tensor || axis >= a.operand->block.size()) return false;
    if (index != nullptr && *index != a.operand->block[axis]) return false;
    index = &a.operand->block[axis];
  }
  if (index == nullptr) return false;
  if (index->IsConstant()) return true;
  // All loops of the index must hold all accesses, and no value may cross the innermost of them.
  std::optional<LoopId> innermost;
  for (std::optional<LoopId> loop = CommonLoop(linear, accesses); loop;
       loop = linear.kernel.loops[*loop].parent) {
    const bool named = std::any_of(index->terms.begin(), index->terms.end(),
                                   [&](const AffineTerm& term) { return term.loop == *loop; });
    if (named && !innermost) innermost = loop;
  }
  std::size_t held = 0;
  for (std::optional<LoopId> loop = innermost; loop; loop = linear.kernel.loops[*loop].parent) {
    for (const AffineTerm& term : index->terms) held += term.loop == *loop ? 1 : 0;
  }
  return innermost && held == index->terms.size() &&
         SPILLWAY_FAULT(A12, ExposureOf(linear, accesses, innermost).exposed.empty(), true);
}

}  // namespace

IdVector<TensorId, std::optional<LiveRange>> FindLiveRanges(const LinearKernel& linear,
                                                            Bytes granule) {
  IdVector<TensorId, std::optional<LiveRange>> ranges(linear.kernel.tensors.size());
  for (std::size_t t = 0; t < ranges.size(); ++t) {
    const Tensor& tensor = linear.kernel.tensors[TensorId(t)];
    const std::vector<PointAccess>& accesses = linear.accesses_of[TensorId(t)];
    if (tensor.space != Space::kSbuf || accesses.empty()) continue;
    LiveRange range{TensorId(t),
                    *LiveIntervalOf(linear, accesses),
                    RoundUp(BlockBytes(tensor), granule),
                    1,
                    {}};
    std::vector<bool> shrunk(tensor.blocks.size(), false);
    // Every block of an input holds a value from the start, every block of an output to the end.
    const bool may_shrink = tensor.at.empty() && tensor.role == Role::kInternal;
    for (std::size_t axis = 0; axis < tensor.blocks.size() && may_shrink; ++axis) {
      shrunk[axis] = IsShrinkable(linear, accesses, axis);
    }
    for (std::size_t axis = 0; axis < tensor.blocks.size(); ++axis) {
      if (!shrunk[axis]) range.live_blocks *= tensor.blocks[axis];
    }
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      std::int64_t rest = block;
      std::int64_t slot = 0;
      std::int64_t scale = 1;
      for (std::size_t axis = tensor.blocks.size(); axis-- > 0;) {
        if (!shrunk[axis]) {
          slot += rest % tensor.blocks[axis] * scale;
          scale *= tensor.blocks[axis];
        }
        rest /= tensor.blocks[axis];
      }
      range.slot.push_back(slot);
    }
    ranges[TensorId(t)] = std::move(range);
  }
  return ranges;
}

}  // namespace spillway
