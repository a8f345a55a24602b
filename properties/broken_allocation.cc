#include "properties/broken_allocation.h"

#include <fmt/format.h>

#include <utility>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/print_kernel.h"

namespace spillway {
namespace {

std::vector<bool> AccessedTensors(const Kernel& kernel) {
  std::vector<bool> accessed(kernel.tensors.size(), false);
  for (const Instruction& instruction : kernel.instructions) {
    for (const Access& access : AccessesOf(instruction)) accessed[access.tensor.value] = true;
  }
  return accessed;
}

// Accessed tensors of `space` that have a place of an allocator's.
std::vector<TensorId> PlacedTensors(const Kernel& kernel, const Placement& placement, Space space) {
  const std::vector<bool> accessed = AccessedTensors(kernel);
  std::vector<TensorId> placed;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (accessed[t] && tensor.space == space && tensor.at.empty() &&
        !placement.addresses[TensorId(t)].empty()) {
      placed.push_back(TensorId(t));
    }
  }
  return placed;
}

// Where in the body spill code stands, with predicates where `guarded`.
std::vector<std::size_t> SpillItems(const Kernel& kernel, bool guarded) {
  std::vector<std::size_t> items;
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    if (kernel.body[i].kind != BodyKind::kInstruction) continue;
    const Instruction& instruction = kernel.instructions[kernel.body[i].instruction()];
    if (instruction.spill == SpillRole::kNone || (guarded && instruction.when.empty())) continue;
    items.push_back(i);
  }
  return items;
}

Comparison Opposite(Comparison comparison) {
  switch (comparison) {
    case Comparison::kGreaterEqual: return Comparison::kLess;
    case Comparison::kGreater: return Comparison::kLessEqual;
    case Comparison::kLessEqual: return Comparison::kGreater;
    case Comparison::kLess: return Comparison::kGreaterEqual;
    case Comparison::kEqual: return Comparison::kNotEqual;
    case Comparison::kNotEqual: return Comparison::kEqual;
  }
  return comparison;
}

// Instructions are kept in the order of the body.
void Renumber(Kernel& kernel) {
  IdVector<InstructionId, Instruction> ordered;
  for (BodyItem& item : kernel.body) {
    if (item.kind != BodyKind::kInstruction) continue;
    item.index = ordered.push_back(kernel.instructions[item.instruction()]).value;
  }
  kernel.instructions = std::move(ordered);
}

std::optional<BrokenAllocation> MovePlace(const Kernel& kernel, const Placement& placement,
                                          Space space, std::uint8_t which, std::uint8_t where) {
  const std::vector<TensorId> placed = PlacedTensors(kernel, placement, space);
  if (placed.size() < 2) return std::nullopt;
  const TensorId moved = placed[which % placed.size()];
  const TensorId other = placed[where % placed.size()];
  BrokenAllocation broken{kernel, placement, {}};
  const Address& to =
      placement.addresses[other][where / placed.size() % placement.addresses[other].size()];
  Address& from =
      broken.placement.addresses[moved][which / placed.size() % placement.addresses[moved].size()];
  if (from.byte == to.byte) return std::nullopt;
  // The partition stays, so that the place is legal as such.
  from.byte = to.byte;
  broken.what = fmt::format("{} lies at byte {} like {}", kernel.tensors[moved].name, to.byte.value,
                            kernel.tensors[other].name);
  return broken;
}

std::optional<BrokenAllocation> ChangeSpill(const Kernel& kernel, const Placement& placement,
                                            Damage damage, std::uint8_t which) {
  const bool guarded = damage == Damage::kUnguardedSpill || damage == Damage::kInvertedSpill;
  const std::vector<std::size_t> items = SpillItems(kernel, guarded);
  if (items.empty()) return std::nullopt;
  const std::size_t item = items[which % items.size()];
  BrokenAllocation broken{kernel, placement, {}};
  Kernel& changed = broken.kernel;
  Instruction& spill = changed.instructions[changed.body[item].instruction()];
  broken.what =
      fmt::format("{} (kind {})", PrintInstruction(kernel, spill), static_cast<int>(damage));
  switch (damage) {
    case Damage::kDroppedSpill:
      changed.body.erase(changed.body.begin() + static_cast<std::ptrdiff_t>(item));
      break;
    case Damage::kMovedSpill: {
      const std::size_t step = spill.spill == SpillRole::kReload ? 1 : std::size_t(-1);
      const std::size_t other = item + step;
      if (other >= changed.body.size() || changed.body[other].kind != BodyKind::kInstruction) {
        return std::nullopt;
      }
      std::swap(changed.body[item], changed.body[other]);
      break;
    }
    case Damage::kUnguardedSpill: spill.when.clear(); break;
    default: spill.when.front().comparison = Opposite(spill.when.front().comparison); break;
  }
  Renumber(changed);
  return broken;
}

}  // namespace

const std::vector<Damage>& AllDamages() {
  static const std::vector<Damage> all = {Damage::kMovedPlace,    Damage::kDroppedSpill,
                                          Damage::kMovedSpill,    Damage::kUnguardedSpill,
                                          Damage::kInvertedSpill, Damage::kSharedHome};
  return all;
}

std::optional<BrokenAllocation> Break(const Kernel& kernel, const Placement& placement,
                                      Damage damage, std::uint8_t which, std::uint8_t where) {
  switch (damage) {
    case Damage::kMovedPlace: return MovePlace(kernel, placement, Space::kSbuf, which, where);
    case Damage::kSharedHome: return MovePlace(kernel, placement, Space::kDram, which, where);
    default: return ChangeSpill(kernel, placement, damage, which);
  }
}

}  // namespace spillway
