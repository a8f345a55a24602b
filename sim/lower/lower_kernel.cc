#include "sim/lower/lower_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "sim/lower/instance_channels.h"
#include "sim/lower/instance_cost.h"
#include "sim/lower/streams.h"
#include "sim/lower/sync_plan.h"

namespace spillway {
namespace {

std::optional<Error> CheckDma(const Target& target) {
  const bool fits = target.dma_queues >= 1 && target.dma_queues <= kMaxDmaQueues &&
                    target.dma_engines >= 1 && target.dma_engines <= kMaxDmaEngines &&
                    target.dma_completion_increments == target.dma_engines;
  if (fits) return std::nullopt;
  return Error{
      Kind::kLimit, "dma-geometry",
      fmt::format("{} has {} DMA queues, {} DMA engines and {} increments a transfer; the machine "
                  "has up to {} queues and {} engines, each of which increments once",
                  target.name, target.dma_queues.value, target.dma_engines.value,
                  target.dma_completion_increments.value, kMaxDmaQueues, kMaxDmaEngines),
      "", 0};
}

// Times and descriptors by instruction, worked out at its first instance.
class Costs {
 public:
  Costs(const Kernel& kernel, const Target& target)
      : kernel_(kernel),
        target_(target),
        times_(kernel.instructions.size()),
        transfers_(kernel.instructions.size()) {}

  ComputeTime TimeOf(InstructionId id) {
    ComputeTime& time = times_[id];
    if (time.interval == Picoseconds(0)) {
      const InstructionCost cost =
          CostOf(ShapeOf(kernel_, kernel_.instructions[id], target_), target_);
      time = cost.time;
      if (!cost.known) unpriced_.insert(kernel_.instructions[id].op);
    }
    return time;
  }

  Transfer NextTransferOf(InstructionId id) {
    std::optional<Transfer>& known = transfers_[id];
    if (!known) known = TransferOf(kernel_, kernel_.instructions[id], target_);
    Transfer transfer = *known;
    // Narrow transfers take the engines in turn.
    const std::int64_t used = (transfer.descriptors + transfer.descriptors_per_engine - 1) /
                              transfer.descriptors_per_engine;
    transfer.first_engine = next_engine_;
    next_engine_ = static_cast<std::int32_t>((next_engine_ + used) % target_.dma_engines);
    return transfer;
  }

  std::vector<std::string> unpriced() const { return {unpriced_.begin(), unpriced_.end()}; }

 private:
  const Kernel& kernel_;
  const Target& target_;
  IdVector<InstructionId, ComputeTime> times_;
  IdVector<InstructionId, std::optional<Transfer>> transfers_;
  std::int32_t next_engine_ = 0;
  std::set<std::string> unpriced_;
};

void Emit(LoweredKernel& lowered, const Kernel& kernel, const Target& target,
          const std::vector<StreamId>& streams, const SyncPlan& plan, const LowerOptions& options) {
  Costs costs(kernel, target);
  const InstanceChannels channels(kernel, lowered.memory, target);
  std::vector<SemaphoreWait> waits;
  std::size_t wait_number = 0;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    waits.clear();
    for (const std::uint32_t producer : plan.WaitsOf(i)) {
      const bool dropped = std::binary_search(options.dropped_waits.begin(),
                                              options.dropped_waits.end(), wait_number++);
      if (!dropped)
        waits.push_back(lowered.program.Finished(InstanceId(producer), target.dma_engines));
    }
    lowered.counts.waits += waits.size();
    const InstructionId instruction = lowered.sequence.instances[i].instruction;
    if (streams[i].is_queue()) {
      lowered.program.AddTransfer(streams[i].queue(), costs.NextTransferOf(instruction), waits);
    } else {
      lowered.program.AddCompute(static_cast<Engine>(streams[i].value), costs.TimeOf(instruction),
                                 channels.Of(instruction, lowered.sequence.ValuesOf(i)), waits);
    }
  }
  lowered.unpriced_ops = costs.unpriced();
}

// Times are counted in 64 bits, with room for sums over all engines. True if everything one after
// the other, at the cold rate, takes no longer than that.
bool FitsTime(const HwProgram& program, const Target& target) {
  __extension__ using Wide = __int128;
  constexpr Wide kMost = Wide{1} << 60;
  Wide total = 0;
  for (const HwInstance& instance : program.instances()) total += instance.time.latency.value;
  total = total * 100 / target.pe_cold_percent.value;
  for (const Transfer& transfer : program.transfers()) {
    total += Wide{transfer.descriptors} * (transfer.descriptor_latency.value + transfer.packets);
  }
  total += Wide{target.dma_start_latency.value.value + target.dma_issue_floor.value.value +
                target.semaphore_latency.value.value} *
           program.instances().size();
  return total <= kMost;
}

}  // namespace

Result<LoweredKernel> LowerKernel(const Kernel& kernel, const Placement& placement,
                                  const Target& target, const LowerOptions& options) {
  if (const std::optional<Error> error = CheckDma(target)) return Fail(*error);
  LoweredKernel lowered;
  Result<InstanceSequence> sequence = Unroll(kernel, options.max_instances);
  if (!sequence) return Fail(sequence.error());
  lowered.sequence = std::move(*sequence);
  Result<MemoryMap> memory = MapMemory(kernel, placement, target);
  if (!memory) return Fail(memory.error());
  lowered.memory = std::move(*memory);
  Result<Dependences> dependences = FindDependences(kernel, lowered.sequence, lowered.memory);
  if (!dependences) return Fail(dependences.error());
  lowered.dependences = std::move(*dependences);
  const std::vector<StreamId> streams = AssignStreams(kernel, lowered.sequence, target);
  const SyncPlan plan = PlanSync(lowered.dependences, streams);
  for (const Dependence& edge : lowered.dependences.edges) {
    ++(edge.anti ? lowered.counts.anti : lowered.counts.logical);
  }
  lowered.counts.by_stream_order = plan.by_stream_order;
  lowered.counts.by_other_waits = plan.by_other_waits;
  Emit(lowered, kernel, target, streams, plan, options);
  if (!FitsTime(lowered.program, target)) {
    return Fail({Kind::kLimit, "run-too-long",
                 fmt::format("{}: on {} its instructions take more than 13 days of simulated time "
                             "together, which is more than is counted",
                             kernel.name, target.name),
                 "", 0});
  }
  return lowered;
}

}  // namespace spillway
