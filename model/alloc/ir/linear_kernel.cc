#include "model/alloc/ir/linear_kernel.h"

#include <fmt/format.h>

namespace spillway {

LinearKernel Linearize(Kernel kernel) {
  LinearKernel linear;
  linear.kernel = std::move(kernel);
  const Kernel& k = linear.kernel;
  linear.loop_points.resize(k.loops.size());
  linear.loop_of.resize(k.body.size());
  linear.accesses.resize(k.body.size());
  linear.accesses_of.resize(k.tensors.size());
  std::vector<LoopId> open;
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const BodyItem& item = k.body[i];
    const PointId point(i);
    if (item.kind == BodyKind::kLoopEnd) {
      SPILLWAY_CHECK(!open.empty() && open.back() == item.loop(),
                     "a loop closes that isn't innermost");
      open.pop_back();
      linear.loop_points[item.loop()].terminator = point;
    }
    if (!open.empty()) linear.loop_of[point] = open.back();
    if (item.kind == BodyKind::kLoopBegin) {
      linear.loop_points[item.loop()].header = point;
      open.push_back(item.loop());
    }
    if (item.kind != BodyKind::kInstruction) continue;
    linear.accesses[point] = AccessesOf(k.instructions[item.instruction()]);
    const std::vector<Access>& accesses = linear.accesses[point];
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      linear.accesses_of[accesses[a].tensor].push_back(
          {point, static_cast<std::uint32_t>(a), accesses[a].is_write});
    }
  }
  SPILLWAY_CHECK(open.empty(), "a loop never closes");
  return linear;
}

std::vector<LoopId> NestOf(const LinearKernel& linear, PointId point) {
  std::vector<LoopId> nest;
  for (std::optional<LoopId> loop = linear.loop_of[point]; loop;
       loop = linear.kernel.loops[*loop].parent) {
    nest.insert(nest.begin(), *loop);
  }
  return nest;
}

namespace {

// Whether a loop around the first read also holds a write, which an earlier iteration may have
// done: whether one did is for a run to tell.
bool MayCarry(const LinearKernel& linear, const std::vector<PointAccess>& accesses) {
  const std::vector<LoopId> nest = NestOf(linear, accesses.front().point);
  if (nest.empty()) return false;
  const LoopPoints& outermost = linear.loop_points[nest.front()];
  for (const PointAccess& access : accesses) {
    if (access.is_write && access.point < outermost.terminator) return true;
  }
  return false;
}

}  // namespace

StaticNotes CheckDefinitions(const LinearKernel& linear) {
  StaticNotes notes;
  for (std::size_t i = 0; i < linear.kernel.tensors.size(); ++i) {
    const TensorId id(i);
    const Tensor& tensor = linear.kernel.tensors[id];
    const std::vector<PointAccess>& accesses = linear.accesses_of[id];
    const bool defined_first = tensor.role == Role::kInput || tensor.role == Role::kConstant;
    bool read = false;
    for (const PointAccess& access : accesses) read = read || !access.is_write;
    if (!defined_first && !accesses.empty() && !accesses.front().is_write &&
        !MayCarry(linear, accesses)) {
      notes.undefined_at_use.push_back(id);
    }
    if (!accesses.empty() && !read && tensor.role == Role::kInternal) {
      notes.unused_at_definition.push_back(id);
    }
  }
  return notes;
}

namespace {

std::string Describe(const Kernel& kernel, std::string_view what,
                     const std::vector<TensorId>& ids) {
  if (ids.empty()) return {};
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t i = 0; i < ids.size() && i < kShown; ++i) {
    names += (i > 0 ? ", " : "") + kernel.tensors[ids[i]].name;
  }
  if (ids.size() > kShown) names += fmt::format(", and {} more", ids.size() - kShown);
  return fmt::format("{}: {} ({})", what, ids.size(), names);
}

}  // namespace

std::string DescribeUndefined(const Kernel& kernel, const StaticNotes& notes) {
  return Describe(kernel, "undefined at use", notes.undefined_at_use);
}

std::string DescribeUnused(const Kernel& kernel, const StaticNotes& notes) {
  return Describe(kernel, "unused at definition", notes.unused_at_definition);
}

}  // namespace spillway
