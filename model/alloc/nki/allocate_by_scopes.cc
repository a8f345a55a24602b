#include "model/alloc/nki/allocate_by_scopes.h"

#include <utility>

#include "model/alloc/allocate_without_spills.h"
#include "model/alloc/ir/live_intervals.h"

namespace spillway::nki {
namespace {

/// The innermost loop that holds the whole of `life` in its body; nothing: the kernel itself.
std::optional<LoopId> ScopeOf(const LinearKernel& linear, const Interval<PointId>& life) {
  std::optional<LoopId> scope = linear.loop_of[life.begin];
  while (scope) {
    const LoopPoints& points = linear.loop_points[*scope];
    if (points.header < life.begin && life.end <= points.terminator) return scope;
    scope = linear.kernel.loops[*scope].parent;
  }
  return scope;
}

bool HasInput(const Instruction& instruction, std::string_view name) {
  for (const OperandGroup& group : instruction.inputs) {
    if (group.name == name) return true;
  }
  return false;
}

class Walk {
 public:
  Walk(const LinearKernel& linear, Placement fixed, const Target& target, const AutoLimits& limits)
      : linear_(linear),
        kernel_(linear.kernel),
        placement_(std::move(fixed)),
        allocator_(target, limits) {}

  Result<ScopedAllocation> Run() {
    SortByScope();
    // What its author fixed keeps its bytes throughout: nothing may have them before or after.
    for (const TensorId id : fixed_) {
      if (Result<void> held = allocator_.AssignAllocation(kernel_.tensors[id]); !held)
        return Fail(held.error());
    }
    if (Result<void> declared = Declare(at_top_); !declared) return Fail(declared.error());
    for (std::size_t p = 0; p < linear_.point_count(); ++p) {
      if (Result<void> step = Step(PointId(p)); !step) return Fail(step.error());
    }
    if (Result<void> rest = allocator_.AllocatePendingTensors(); !rest) return Fail(rest.error());
    return Collected();
  }

 private:
  void SortByScope() {
    const auto lives = LiveIntervals(linear_);
    in_loop_ = IdVector<LoopId, std::vector<TensorId>>(kernel_.loops.size());
    for (std::size_t t = 0; t < kernel_.tensors.size(); ++t) {
      const TensorId id(t);
      const Tensor& tensor = kernel_.tensors[id];
      if (tensor.space == Space::kDram) continue;
      if (!tensor.at.empty()) {
        fixed_.push_back(id);
      } else if (lives[id]) {
        const std::optional<LoopId> scope = ScopeOf(linear_, *lives[id]);
        (scope ? in_loop_[*scope] : at_top_).push_back(id);
      }
    }
  }

  Result<void> Declare(const std::vector<TensorId>& tensors) {
    for (const TensorId id : tensors) {
      if (Result<void> declared = allocator_.Declare(kernel_.tensors[id]); !declared)
        return declared;
    }
    return {};
  }

  Result<void> Step(PointId point) {
    const BodyItem& item = kernel_.body[point.value];
    switch (item.kind) {
      case BodyKind::kLoopBegin: {
        if (Result<void> entered = allocator_.EnterScope(kernel_.loops[item.loop()].name); !entered)
          return entered;
        return Declare(in_loop_[item.loop()]);
      }
      case BodyKind::kLoopEnd: return allocator_.ExitScope();
      case BodyKind::kInstruction: break;
    }
    std::vector<std::string> names;
    for (const Access& access : linear_.accesses[point]) {
      const Tensor& tensor = kernel_.tensors[access.tensor];
      if (tensor.space != Space::kDram) names.push_back(tensor.name);
    }
    if (Result<void> placed = allocator_.AllocatePendingInstTile(names); !placed) return placed;
    return MakeOnDemand(kernel_.instructions[item.instruction()]);
  }

  // Implicit operands of instructions as NKI's tracer adds them. Source: seed 000 §8.6.
  Result<void> MakeOnDemand(const Instruction& instruction) {
    if (instruction.op == "nc_transpose" && EngineOf(kernel_, instruction) == Engine::kPe &&
        !HasInput(instruction, "identity")) {
      const Operand& tile = instruction.inputs.front().operands.front();
      const DType dtype = tile.as.value_or(kernel_.tensors[tile.tensor].dtype);
      const auto identity = allocator_.IdentityTensor(dtype, PartitionCount(tile.partition_count));
      if (!identity) return Fail(identity.error());
    }
    if (instruction.op == "activation" && !HasInput(instruction, "bias")) {
      const auto bias =
          allocator_.ActivationBiasTensor(NumberAttr(instruction.attrs, "bias").value_or(0.0));
      if (!bias) return Fail(bias.error());
    }
    return {};
  }

  ScopedAllocation Collected() const {
    ScopedAllocation result;
    result.placement = placement_;
    result.assigned = allocator_.assigned();
    result.sbuf_high_water = allocator_.sbuf_high_water();
    result.psum_high_water = allocator_.psum_high_water();
    std::map<std::string_view, TensorId> ids;
    for (std::size_t t = 0; t < kernel_.tensors.size(); ++t)
      ids.emplace(kernel_.tensors[TensorId(t)].name, TensorId(t));
    for (const AssignedTensor& assigned : result.assigned) {
      if (!assigned.on_demand)
        result.placement.addresses[ids.at(assigned.tensor.name)] = assigned.tensor.at;
    }
    return result;
  }

  const LinearKernel& linear_;
  const Kernel& kernel_;
  Placement placement_;
  AutoAllocator allocator_;
  std::vector<TensorId> fixed_;
  std::vector<TensorId> at_top_;
  IdVector<LoopId, std::vector<TensorId>> in_loop_;
};

class ScopedAllocator : public Allocator {
 public:
  std::string name() const override { return "scoped"; }

  Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& /*hwm*/,
                              const AllocateOptions& options) const override {
    const auto place = [&](const LinearKernel& linear, Placement fixed,
                           const OnChipRoom& room) -> Result<PlacedTensors> {
      const AutoLimits limits{room.sbuf_bytes, room.psum_banks};
      Result<ScopedAllocation> scoped = Walk(linear, std::move(fixed), target, limits).Run();
      if (!scoped) return Fail(scoped.error());
      PlacedTensors placed{std::move(scoped->placement), {}};
      for (AssignedTensor& assigned : scoped->assigned) {
        if (!assigned.on_demand) continue;
        placed.placement.addresses.push_back(assigned.tensor.at);
        assigned.tensor.role = Role::kInternal;
        placed.added.push_back(std::move(assigned.tensor));
      }
      return placed;
    };
    return AllocateWithoutSpills(kernel, target, options, place);
  }
};

}  // namespace

Result<ScopedAllocation> AllocateByScopes(const Kernel& kernel, const Target& target,
                                          const AutoLimits& limits) {
  const LinearKernel linear = Linearize(kernel);
  return Walk(linear, FixedPlacement(kernel), target, limits).Run();
}

std::unique_ptr<Allocator> MakeScopedAllocator() { return std::make_unique<ScopedAllocator>(); }

}  // namespace spillway::nki
