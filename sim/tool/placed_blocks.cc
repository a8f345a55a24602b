#include "sim/tool/placed_blocks.h"

#include <fmt/format.h>

#include "model/alloc/ir/footprint.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/live_intervals.h"

namespace spillway {
namespace {

IdVector<TensorId, BlockKind> Kinds(const Kernel& kernel) {
  IdVector<TensorId, BlockKind> kinds(kernel.tensors.size());
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    if (!kernel.tensors[TensorId(t)].at.empty()) kinds[TensorId(t)] = BlockKind::kFixed;
  }
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.spill == SpillRole::kNone) continue;
    const auto& groups =
        instruction.spill == SpillRole::kReload ? instruction.outputs : instruction.inputs;
    for (const OperandGroup& group : groups) {
      for (const Operand& operand : group.operands) {
        kinds[operand.tensor] = BlockKind::kWorkingCopy;
      }
    }
  }
  return kinds;
}

// Where the blocks of each tensor stand in the list of all blocks.
struct BlockRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

class TouchTimes {
 public:
  TouchTimes(const LinearKernel& linear, const SimReport& simulation,
             const IdVector<TensorId, BlockRange>& ranges, std::vector<PlacedBlock> blocks)
      : linear_(linear), simulation_(simulation), ranges_(ranges), blocks_(std::move(blocks)) {}

  std::vector<PlacedBlock> Take() {
    const IdVector<InstructionId, PointId> points = PointsOfInstructions();
    const InstanceSequence& sequence = simulation_.lowered.sequence;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const auto times = TimesOf(simulation_, InstanceId(i));
      if (!times) continue;
      const PointId point = points[sequence.instances[i].instruction];
      for (const Access& access : linear_.accesses[point]) Touch(access, i, *times);
    }
    return std::move(blocks_);
  }

 private:
  IdVector<InstructionId, PointId> PointsOfInstructions() const {
    IdVector<InstructionId, PointId> points(linear_.kernel.instructions.size());
    for (std::size_t p = 0; p < linear_.point_count(); ++p) {
      const BodyItem& item = linear_.kernel.body[p];
      if (item.kind == BodyKind::kInstruction) points[item.instruction()] = PointId(p);
    }
    return points;
  }

  void Touch(const Access& access, std::size_t instance, const Interval<Picoseconds>& times) {
    const BlockRange range = ranges_[access.tensor];
    if (range.count == 0) return;
    if (range.count > 1 && !access.whole_tensor && access.operand != nullptr) {
      const std::int64_t block = BlockIndex(linear_.kernel.tensors[access.tensor], *access.operand,
                                            simulation_.lowered.sequence.ValuesOf(instance));
      if (block < 0 || block >= static_cast<std::int64_t>(range.count)) return;
      TouchBlock(range.first + static_cast<std::size_t>(block), access.is_write, instance, times);
      return;
    }
    for (std::size_t b = 0; b < range.count; ++b) {
      TouchBlock(range.first + b, access.is_write, instance, times);
    }
  }

  void TouchBlock(std::size_t index, bool is_write, std::size_t instance,
                  const Interval<Picoseconds>& times) {
    PlacedBlock& block = blocks_[index];
    block.time = block.time ? Hull(*block.time, times) : times;
    if (is_write && !block.first_writer) block.first_writer = InstanceId(instance);
  }

  const LinearKernel& linear_;
  const SimReport& simulation_;
  const IdVector<TensorId, BlockRange>& ranges_;
  std::vector<PlacedBlock> blocks_;
};

}  // namespace

std::vector<PlacedBlock> PlacedBlocks(const KernelRun& run) {
  std::vector<PlacedBlock> blocks;
  if (!run.allocation) return blocks;
  const LinearKernel linear = Linearize(run.allocation->kernel);
  const Kernel& kernel = linear.kernel;
  const auto lives = LiveIntervals(linear);
  const IdVector<TensorId, BlockKind> kinds = Kinds(kernel);
  const auto& addresses = run.allocation->placement.addresses;
  IdVector<TensorId, BlockRange> ranges(kernel.tensors.size());
  for (std::size_t t = 0; t < std::min(kernel.tensors.size(), addresses.size()); ++t) {
    const TensorId id(t);
    const Tensor& tensor = kernel.tensors[id];
    if (tensor.space == Space::kDram || !lives[id]) continue;
    bool legal = true;
    for (const Address& at : addresses[id]) {
      legal = legal && at.partition.value >= 0 && at.byte.value >= 0;
    }
    if (!legal) continue;
    ranges[id] = {blocks.size(), addresses[id].size()};
    for (std::size_t b = 0; b < addresses[id].size(); ++b) {
      blocks.push_back({id, static_cast<std::int64_t>(b), tensor.space, kinds[id],
                        RectangleOf(tensor, addresses[id][b]), *lives[id], std::nullopt,
                        std::nullopt});
    }
  }
  if (!run.simulation) return blocks;
  return TouchTimes(linear, *run.simulation, ranges, std::move(blocks)).Take();
}

std::string BlockName(const Kernel& kernel, const PlacedBlock& block) {
  const Tensor& tensor = kernel.tensors[block.tensor];
  return tensor.blocks.empty() ? tensor.name : fmt::format("{}[{}]", tensor.name, block.block);
}

std::int64_t PointCount(const KernelRun& run) {
  return run.allocation ? static_cast<std::int64_t>(run.allocation->kernel.body.size()) : 0;
}

std::optional<Interval<Picoseconds>> TimesOf(const SimReport& simulation, InstanceId id) {
  if (id.value >= simulation.run.times.size()) return std::nullopt;
  const InstanceTimes& times = simulation.run.times[id.value];
  if (times.start.value < 0 || times.finish.value < 0) return std::nullopt;
  return Interval<Picoseconds>{times.start, times.finish};
}

const Instruction& InstructionOf(const KernelRun& run, InstanceId id) {
  const Instance& instance = run.simulation->lowered.sequence.instances[id.value];
  return run.allocation->kernel.instructions[instance.instruction];
}

}  // namespace spillway
