#include "model/alloc/check/instance_walk.h"

#include <fmt/format.h>

#include "model/hw/error.h"

namespace spillway::check {

InstanceWalk::InstanceWalk(const Kernel& kernel)
    : kernel_(kernel), values_(kernel.loops.size(), 0) {}

bool InstanceWalk::Next() {
  if (started_) ++at_;
  started_ = true;
  for (; at_ < kernel_.body.size(); ++at_) {
    const BodyItem& item = kernel_.body[at_];
    if (item.kind == BodyKind::kInstruction) {
      if (Holds(kernel_.instructions[item.instruction()].when, values_)) return true;
      continue;
    }
    if (item.kind == BodyKind::kLoopBegin) {
      const Loop& loop = kernel_.loops[item.loop()];
      values_[item.index] = loop.begin;
      open_.push_back({at_, TripCount(loop)});
      if (open_.back().trips_left > 0) continue;
      while (kernel_.body[at_].kind != BodyKind::kLoopEnd || kernel_.body[at_].index != item.index)
        ++at_;
      open_.pop_back();
      continue;
    }
    SPILLWAY_CHECK(!open_.empty(), "loops nest");
    if (--open_.back().trips_left == 0) {
      open_.pop_back();
      continue;
    }
    values_[item.index] += kernel_.loops[item.loop()].step;
    at_ = open_.back().begin;
  }
  return false;
}

std::string InstanceWalk::Label(std::size_t number) const {
  std::string label = fmt::format("{} #{}", kernel_.instructions[instruction()].op, number);
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const std::uint32_t loop = kernel_.body[open_[i].begin].index;
    label += fmt::format("{}{}={}", i == 0 ? " (" : ", ", kernel_.loops[LoopId(loop)].name,
                         values_[loop]);
  }
  if (!open_.empty()) label += ")";
  return label;
}

}  // namespace spillway::check
