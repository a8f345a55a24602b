#include "model/alloc/rings/unit_plan.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace spillway::rings {
namespace {

constexpr std::uint32_t kSbufMemory = 0;
constexpr std::uint32_t kPsumMemory = 1;
constexpr std::uint32_t kPlacedDram = 2;
constexpr std::uint32_t kFirstOwnDram = 3;

Unit BlockUnit(const Kernel& kernel, const Placement& placement, TensorId id, std::int64_t block) {
  const Tensor& tensor = kernel.tensors[id];
  Unit unit;
  unit.name = tensor.blocks.empty() ? tensor.name : fmt::format("{}_b{}", tensor.name, block);
  unit.size = BlockBytes(tensor);
  unit.initial = tensor.role == Role::kInput || tensor.role == Role::kConstant;
  const bool has_place = placement.addresses.contains(id) && !placement.addresses[id].empty();
  if (tensor.space != Space::kDram) {
    unit.space = tensor.space == Space::kSbuf ? task::MemorySpace::kSbuf : task::MemorySpace::kPsum;
    unit.memory = tensor.space == Space::kSbuf ? kSbufMemory : kPsumMemory;
  } else if (has_place) {
    unit.memory = kPlacedDram;
  } else {
    unit.memory = kFirstOwnDram + id.value;
    unit.byte = ByteOffset(block * unit.size.value);
  }
  if (has_place) {
    const Address& address = placement.addresses[id][static_cast<std::size_t>(block)];
    unit.partition = address.partition;
    unit.byte = address.byte;
  }
  return unit;
}

}  // namespace

Rectangle UnitPlan::Where(const StreamWork& work, std::size_t touch, std::size_t run) const {
  const Unit& unit = units[unit_of[touch]];
  const Shape& shape = work.shapes[work.touches[touch].shape];
  const Bytes shift = (unit.byte - ByteOffset(0)) + unit.stride * stage_of[touch];
  const PartitionCount down = unit.partition - Partition(0);
  return {{shape.partitions.begin + down, shape.partitions.end + down},
          {shape.runs[run].begin + shift, shape.runs[run].end + shift}};
}

UnitPlan PlanUnits(const Kernel& kernel, const Placement& placement, const StreamWork& work,
                   std::vector<Ring> rings) {
  UnitPlan plan;
  std::map<TensorId, UnitId> ring_units;
  for (Ring& ring : rings) {
    Unit unit = BlockUnit(kernel, placement, ring.tensor, ring.first_block);
    unit.name = kernel.tensors[ring.tensor].name;
    unit.stride = ring.stride;
    ring_units.emplace(ring.tensor, UnitId(plan.units.size()));
    unit.ring = std::move(ring);
    plan.units.push_back(std::move(unit));
  }
  std::map<std::pair<TensorId, std::int64_t>, UnitId> block_units;
  for (const Touch& touch : work.touches) {
    if (const auto ring = ring_units.find(touch.tensor); ring != ring_units.end()) {
      plan.unit_of.push_back(ring->second);
      plan.stage_of.push_back(0);
      continue;
    }
    const auto [at, is_new] =
        block_units.try_emplace({touch.tensor, touch.block}, UnitId(plan.units.size()));
    if (is_new) plan.units.push_back(BlockUnit(kernel, placement, touch.tensor, touch.block));
    plan.unit_of.push_back(at->second);
    plan.stage_of.push_back(0);
  }
  for (const Unit& unit : plan.units) {
    if (!unit.ring) continue;
    for (const RingTouch& touch : unit.ring->touches)
      plan.stage_of[touch.touch] = touch.number % unit.ring->stages;
  }
  return plan;
}

std::optional<Error> FindUnplaced(const Kernel& kernel, const Placement& placement,
                                  const StreamWork& work) {
  for (const Touch& touch : work.touches) {
    const Tensor& tensor = kernel.tensors[touch.tensor];
    if (tensor.space == Space::kDram) continue;
    const std::size_t places =
        placement.addresses.contains(touch.tensor) ? placement.addresses[touch.tensor].size() : 0;
    const auto blocks = static_cast<std::size_t>(BlockCount(tensor));
    if (places == blocks) continue;
    return Error{Kind::kOutOfRange, "ring-not-placed",
                 fmt::format("tensor {}: expected {} places, one a block, found {}; place the "
                             "kernel first (spillway alloc)",
                             tensor.name, blocks, places),
                 "", 0};
  }
  return std::nullopt;
}

}  // namespace spillway::rings
