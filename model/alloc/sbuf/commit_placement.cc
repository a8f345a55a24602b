#include "model/alloc/sbuf/commit_placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/ir/footprint.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

// The SBUF end of a save or a reload, as an access.
AccessShape SpillShape(const Kernel& kernel, const Instruction& dma) {
  const Operand& copy = (dma.spill == SpillRole::kSave ? dma.inputs : dma.outputs)[0].operands[0];
  Bytes bytes = ElementSize(OperandDType(kernel, copy));
  for (const FreeDim& dim : copy.free_dims) bytes = bytes * dim.count;
  return {PartitionCount(copy.partition_count), bytes};
}

}  // namespace

Placement CommitPlacement(const Kernel& kernel, const Nodes& nodes,
                          const IdVector<TensorId, std::optional<LiveRange>>& ranges,
                          const Selection& selection, Bytes granule) {
  Placement placement;
  placement.addresses.resize(kernel.tensors.size());
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const std::optional<LiveRange>& range = ranges[TensorId(t)];
    if (!range) continue;
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (!tensor.at.empty()) {
      placement.addresses[TensorId(t)] = tensor.at;
      continue;
    }
    for (const std::int64_t slot : range->slot) {
      const NodeId node = nodes.of[TensorId(t)][static_cast<std::size_t>(slot)];
      const BandInterval& rectangle = *selection.placed[node];
      const std::int64_t byte =
          SPILLWAY_FAULT(B1, rectangle.lower * granule.value,
                         rectangle.upper * granule.value - BlockBytes(tensor).value);
      const Partition start =
          SPILLWAY_FAULT(B3, StartOf(rectangle.band),
                         rectangle.band == 0b1100 ? Partition(32) : StartOf(rectangle.band));
      placement.addresses[TensorId(t)].push_back({start, ByteOffset(byte)});
    }
  }
  return placement;
}

double PredictSpillCycles(const LinearKernel& linear, const Hwm& hwm) {
  double cycles = 0;
  for (std::size_t p = 0; p < linear.point_count(); ++p) {
    if (!linear.IsInstruction(PointId(p)) || !IsSpillDma(linear.instruction(PointId(p)))) continue;
    const Instruction& dma = linear.instruction(PointId(p));
    const Space tier = dma.spill == SpillRole::kReload ? Space::kDram : Space::kSbuf;
    cycles += Occurrences(linear, PointId(p)) *
              static_cast<double>(hwm.Latency(tier, SpillShape(linear.kernel, dma)).value);
  }
  return cycles;
}

SbufStats FinishStats(SbufStats stats, const LinearKernel& linear, const Nodes& nodes,
                      const Placement& placement, const Hwm& hwm, Bytes granule, Bytes capacity) {
  for (const Instruction& instruction : linear.kernel.instructions) {
    if (!IsSpillDma(instruction)) continue;
    ++(instruction.spill == SpillRole::kSave ? stats.saves : stats.reloads);
  }
  stats.predicted_cycles = PredictSpillCycles(linear, hwm);
  for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
    for (const Address& address : placement.addresses[TensorId(t)]) {
      const Interval<ByteOffset> bytes =
          RectangleOf(linear.kernel.tensors[TensorId(t)], address).bytes;
      stats.high_water_bytes = std::max(stats.high_water_bytes, bytes.end - ByteOffset(0));
    }
  }
  stats.quadrant_bytes =
      FindPressure(nodes.all, linear.point_count(), granule, capacity).peak_quadrant_bytes;
  if (!stats.spilled.empty()) {
    stats.messages.push_back(
        fmt::format("spilling from SB cost about {:.15g} cycles", stats.predicted_cycles));
    stats.messages.push_back(
        fmt::format("number of tensors spilled from SB = {}", stats.spilled.size()));
  }
  if (stats.attempts > 1) {
    stats.messages.push_back(
        fmt::format("best of {}: another order than the first was cheapest in {} of {} iterations",
                    stats.attempts, stats.better_attempts, stats.iterations));
  }
  stats.messages.push_back("no more spills");
  return stats;
}

void NoteSpills(const Kernel& kernel, const std::vector<TensorId>& spilled, const Homes& homes,
                const IdVector<TensorId, SpillCost>& costs, SbufStats& stats) {
  for (const TensorId tensor : spilled) {
    if (homes.contains(tensor)) continue;
    stats.spilled.push_back({kernel.tensors[tensor].name, costs[tensor].cycles()});
  }
}

}  // namespace spillway
