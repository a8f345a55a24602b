#include "model/alloc/sbuf/spill_costs.h"

#include <algorithm>
#include <limits>

#include "model/alloc/ir/footprint.h"
#include "model/alloc/sbuf/spill_operands.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

// The bytes per partition that one access moves, broadcasts not counted.
AccessShape ShapeOf(const Kernel& kernel, const Access& access) {
  const Tensor& tensor = kernel.tensors[access.tensor];
  if (access.operand == nullptr || access.whole_tensor) {
    return {Partitions(tensor), BlockBytes(tensor)};
  }
  Bytes bytes = ElementSize(OperandDType(kernel, *access.operand));
  for (const FreeDim& dim : access.operand->free_dims) {
    if (dim.step != 0) bytes = bytes * dim.count;
  }
  return {PartitionCount(access.operand->partition_count), std::min(bytes, BlockBytes(tensor))};
}

bool StandsInOneInstruction(const LinearKernel& linear, const std::vector<PointAccess>& accesses) {
  std::optional<PointId> only;
  for (const PointAccess& access : accesses) {
    if (IsSpillDma(linear.instruction(access.point))) continue;
    if (only && *only != access.point) return false;
    only = access.point;
  }
  return true;
}

// Two copies for one instruction, each saved as a whole block: if the blocks are one at run time,
// the second save puts back what the first replaced.
bool SavesMayCollide(const LinearKernel& linear, TensorId tensor,
                     const std::vector<PointAccess>& accesses) {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = linear.accesses[accesses[i].point][accesses[i].access];
    if (!access.is_write || access.operand == nullptr) continue;
    const SpillOperands ends = SpillOperandsOf(linear.kernel.tensors[tensor], *access.operand,
                                               tensor, tensor, access.operand->block);
    if (!ends.whole_block) continue;
    for (const PointAccess& other : accesses) {
      const Access& beside = linear.accesses[other.point][other.access];
      if (other.point == accesses[i].point && beside.is_write && beside.operand != nullptr &&
          beside.operand->block != access.operand->block) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string_view Describe(WhyUnspillable why) {
  switch (why) {
    case WhyUnspillable::kPrecoloured: return "its place is fixed";
    case WhyUnspillable::kOneInstruction: return "only one instruction touches it";
    case WhyUnspillable::kKernelInput: return "it is an input of the kernel";
    case WhyUnspillable::kNeverUsed: return "nothing reads it";
    case WhyUnspillable::kAliasedBlocks:
      return "one instruction writes two of its blocks that may be one";
    case WhyUnspillable::kIndirect: return "it is addressed at run time";
    case WhyUnspillable::kNotACandidate: return "it is no SBUF tensor";
  }
  return "unknown";
}

double SpillCost::cycles() const {
  SPILLWAY_CHECK(IsFinite(), "an unspillable tensor has no cost");
  return cycles_;
}

double Occurrences(const LinearKernel& linear, PointId point) {
  double times = 1;
  for (std::optional<LoopId> loop = linear.loop_of[point]; loop;
       loop = linear.kernel.loops[*loop].parent) {
    times *= static_cast<double>(TripCount(linear.kernel.loops[*loop]));
  }
  return times;
}

IdVector<TensorId, SpillCost> FindCosts(const LinearKernel& linear,
                                        const IdVector<TensorId, std::optional<PointId>>& last_uses,
                                        const IdVector<TensorId, bool>& loads, const Hwm& hwm) {
  IdVector<TensorId, SpillCost> costs(linear.kernel.tensors.size(),
                                      SpillCost::Unspillable(WhyUnspillable::kNotACandidate));
  for (std::size_t t = 0; t < costs.size(); ++t) {
    const TensorId id(t);
    const Tensor& tensor = linear.kernel.tensors[id];
    const std::vector<PointAccess>& accesses = linear.accesses_of[id];
    if (tensor.space != Space::kSbuf || tensor.role == Role::kOutput || accesses.empty()) continue;
    if (!tensor.at.empty()) {
      costs[id] = SpillCost::Unspillable(WhyUnspillable::kPrecoloured);
      continue;
    }
    if (tensor.role != Role::kInternal) {
      costs[id] = SpillCost::Unspillable(WhyUnspillable::kKernelInput);
      continue;
    }
    // A tensor that several instructions write and none reads does live from one to the next:
    // copies of one instruction each relieve that, and cost nothing, since nobody needs them saved.
    if (SPILLWAY_FAULT(C2, false, StandsInOneInstruction(linear, accesses))) {
      costs[id] = SpillCost::Finite(std::numeric_limits<double>::infinity() * 0.0);
      continue;
    }
    if (SPILLWAY_FAULT(C1, StandsInOneInstruction(linear, accesses), false)) {
      costs[id] = SpillCost::Unspillable(last_uses[id] ? WhyUnspillable::kOneInstruction
                                                       : WhyUnspillable::kNeverUsed);
      continue;
    }
    const bool indirect =
        std::any_of(accesses.begin(), accesses.end(), [&](const PointAccess& access) {
          return linear.accesses[access.point][access.access].whole_tensor;
        });
    if (indirect) {
      costs[id] = SpillCost::Unspillable(WhyUnspillable::kIndirect);
      continue;
    }
    if (SavesMayCollide(linear, id, accesses)) {
      costs[id] = SpillCost::Unspillable(WhyUnspillable::kAliasedBlocks);
      continue;
    }
    double cycles = 0;
    for (const PointAccess& access : accesses) {
      // The DMAs of an earlier spill aren't uses: they come and go with the copy.
      if (IsSpillDma(linear.instruction(access.point))) continue;
      const AccessShape shape =
          ShapeOf(linear.kernel, linear.accesses[access.point][access.access]);
      const double times = SPILLWAY_FAULT(C3, Occurrences(linear, access.point), 1.0);
      const Space read_tier = SPILLWAY_FAULT(C4, Space::kDram, Space::kSbuf);
      const Space write_tier = SPILLWAY_FAULT(C4, Space::kSbuf, Space::kDram);
      if (!access.is_write) {
        cycles += times * static_cast<double>(hwm.Latency(read_tier, shape).value);
      } else if (!loads[id]) {
        cycles += times * static_cast<double>(hwm.Latency(write_tier, shape).value);
      }
    }
    costs[id] = SpillCost::Finite(cycles);
  }
  return costs;
}

}  // namespace spillway
