#include "model/alloc/psum/spill_costs.h"

#include "model/alloc/ir/footprint.h"

namespace spillway::psum {
namespace {

double CyclesOf(const Kernel& kernel, const SpillCopy& copy, const Hwm& hwm) {
  const Operand& operand = copy.operand;
  const std::int64_t per_partition =
      ElementCount(operand) / std::max<std::int64_t>(operand.partition_count, 1);
  const AccessShape shape{PartitionCount(operand.partition_count),
                          ElementSize(OperandDType(kernel, operand)) * per_partition};
  return static_cast<double>(hwm.Latency(Space::kPsum, shape).value);
}

double Occurrences(const LinearKernel& linear, std::optional<LoopId> level) {
  double times = 1;
  for (; level; level = linear.kernel.loops[*level].parent) {
    times *= static_cast<double>(TripCount(linear.kernel.loops[*level]));
  }
  return times;
}

}  // namespace

IdVector<NodeId, SpillCost> FindCosts(const LinearKernel& linear,
                                      const IdVector<NodeId, BankRange>& ranges,
                                      const std::vector<bool>& is_spill_copy, const Hwm& hwm) {
  IdVector<NodeId, SpillCost> costs(ranges.size());
  for (std::size_t n = 0; n < ranges.size(); ++n) {
    const NodeId node(n);
    const TensorId tensor = ranges[node].tensor;
    if (is_spill_copy[tensor.value]) {
      costs[node].plan.why = WhyUnspillable::kSpillCopy;
      continue;
    }
    costs[node].plan = PlanSpill(linear, tensor);
    for (const Residence& residence : costs[node].plan.residences) {
      double cycles = 0;
      for (const auto* copies : {&residence.reloads, &residence.saves}) {
        for (const SpillCopy& copy : *copies) cycles += CyclesOf(linear.kernel, copy, hwm);
      }
      const auto live_blocks = static_cast<double>(ranges[node].blocks);
      costs[node].cycles += live_blocks * cycles * Occurrences(linear, residence.level);
    }
  }
  return costs;
}

}  // namespace spillway::psum
