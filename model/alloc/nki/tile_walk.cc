#include "model/alloc/nki/tile_walk.h"

#include "model/alloc/ir/access.h"
#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway::nki {

TileWalk::TileWalk(const Kernel& kernel, const IdVector<InstructionId, bool>& wanted,
                   std::int64_t max_steps)
    : kernel_(kernel),
      is_wanted_(kernel.body.size(), false),
      ends_at_(kernel.body.size(), 0),
      steps_left_(max_steps),
      values_(kernel.loops.size(), 0) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    const BodyItem& item = kernel.body[i];
    if (item.kind == BodyKind::kLoopBegin) {
      begins.push_back(i);
      continue;
    }
    if (item.kind == BodyKind::kInstruction) {
      is_wanted_[i] = wanted[item.instruction()];
      if (is_wanted_[i] && !begins.empty()) is_wanted_[begins.back()] = true;
      continue;
    }
    SPILLWAY_CHECK(!begins.empty(), "loops nest");
    const std::size_t begin = begins.back();
    begins.pop_back();
    ends_at_[begin] = i;
    if (is_wanted_[begin] && !begins.empty()) is_wanted_[begins.back()] = true;
  }
}

bool TileWalk::Next() {
  if (started_) ++at_;
  started_ = true;
  for (; at_ < kernel_.body.size(); ++at_) {
    const BodyItem& item = kernel_.body[at_];
    if (item.kind == BodyKind::kInstruction) {
      if (!is_wanted_[at_]) continue;
      if (!Spend()) return false;
      if (!Holds(kernel_.instructions[item.instruction()].when, values_)) continue;
      ++number_;
      return true;
    }
    if (item.kind == BodyKind::kLoopBegin) {
      const Loop& loop = kernel_.loops[item.loop()];
      const std::int64_t trips = SPILLWAY_FAULT(N50, TripCount(loop), TripCount(loop) - 1);
      if (trips <= 0 || !is_wanted_[at_]) {
        at_ = ends_at_[at_];
        continue;
      }
      values_[item.index] = loop.begin;
      open_.push_back({at_, trips});
      continue;
    }
    if (--open_.back().trips_left == 0) {
      open_.pop_back();
      continue;
    }
    if (!Spend()) return false;
    values_[item.index] += kernel_.loops[item.loop()].step;
    at_ = open_.back().begin;
  }
  return false;
}

std::vector<LoopId> TileWalk::OpenLoops() const {
  std::vector<LoopId> loops;
  for (const Open& open : open_) loops.push_back(kernel_.body[open.begin].loop());
  return loops;
}

IdVector<InstructionId, bool> InstructionsThatTouch(const Kernel& kernel,
                                                    const IdVector<TensorId, bool>& tensors) {
  IdVector<InstructionId, bool> wanted;
  for (const Instruction& instruction : kernel.instructions) {
    bool touches = false;
    for (const Access& access : AccessesOf(instruction))
      touches = touches || tensors[access.tensor];
    wanted.push_back(touches);
  }
  return wanted;
}

}  // namespace spillway::nki
