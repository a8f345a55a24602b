#include "model/hw/systemc/machine.h"

#include <cstdlib>
#include <mutex>
#include <string>

#include "model/hw/error.h"
#include "model/hw/systemc/detail/compute_engine.h"
#include "model/hw/systemc/detail/dma_engine.h"
#include "model/hw/systemc/detail/dma_queue.h"

namespace spillway {

using detail::ComputeEngine;
using detail::DmaEngine;
using detail::DmaQueue;

namespace {

// Simulated time that no correct program reaches: everything one after the other, twice.
std::int64_t WatchdogOf(const HwProgram& program, const detail::RunState& run) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  __extension__ using Wide = __int128;
  Wide total = 0;
  for (std::size_t i = 0; i < program.instances().size(); ++i) {
    const HwInstance& instance = program.instances()[i];
    total += run.semaphores.latency();
    if (!instance.stream.is_queue()) {
      total += instance.duration.value;
      continue;
    }
    const Transfer& transfer = program.TransferOf(InstanceId(i));
    total += run.dma_start_latency + run.dma_issue_floor +
             Wide{transfer.descriptors} * transfer.descriptor_time.value;
  }
  total = 2 * total + 1;
  return total > kMost ? kMost : static_cast<std::int64_t>(total);
}

void CheckWaits(const HwProgram& program) {
  for (std::size_t i = 0; i < program.instances().size(); ++i) {
    for (const SemaphoreWait& wait : program.WaitsOf(InstanceId(i))) {
      SPILLWAY_CHECK(wait.semaphore.value < program.semaphore_count(), "a wait names a semaphore");
    }
  }
}

}  // namespace

struct Machine::Core {
  std::mutex turn;
  MachineMemory memory;
  detail::RunState run;
  detail::Instant instant{"instant"};
  std::array<std::unique_ptr<ComputeEngine>, kComputeStreams> compute;
  std::array<std::unique_ptr<DmaQueue>, kMaxDmaQueues> queues;
  detail::DmaEngines dma;

  Core();
  void Arm(const HwProgram& program, const Target& target, Effects* effects, RunResult& result);
  void Reset();
  void Judge(RunResult& result, bool out_of_events) const;
};

Machine::Core::Core() {
  for (int e = 0; e < kComputeStreams; ++e) {
    const auto engine = static_cast<Engine>(e);
    auto& module = compute[static_cast<std::size_t>(e)];
    module = std::make_unique<ComputeEngine>(std::string(EngineName(engine)).c_str(), instant, run,
                                             engine);
    run.streams[static_cast<std::size_t>(e)] = module.get();
  }
  for (int q = 0; q < kMaxDmaQueues; ++q) {
    auto& module = queues[static_cast<std::size_t>(q)];
    module =
        std::make_unique<DmaQueue>(StreamName(StreamId::Queue(q)).c_str(), instant, run, q, dma);
    run.streams[static_cast<std::size_t>(kComputeStreams + q)] = module.get();
  }
  for (int e = 0; e < kMaxDmaEngines; ++e) {
    dma[static_cast<std::size_t>(e)] =
        std::make_unique<DmaEngine>(("dma" + std::to_string(e)).c_str(), instant, run);
  }
}

// Every hop takes at least a picosecond, so that nothing that happens at an instant can cause
// something else at the same instant.
void Machine::Core::Arm(const HwProgram& program, const Target& target, Effects* effects,
                        RunResult& result) {
  SPILLWAY_CHECK(target.dma_queues.value <= kMaxDmaQueues, "more DMA queues than the machine has");
  SPILLWAY_CHECK(target.dma_engines.value >= 1 && target.dma_engines.value <= kMaxDmaEngines,
                 "more DMA engines than the machine has");
  result.times.assign(program.instances().size(), {});
  run.program = &program;
  run.effects = effects;
  run.memory = &memory;
  run.result = &result;
  run.dma_queues = static_cast<int>(target.dma_queues.value);
  run.dma_engines = static_cast<int>(target.dma_engines.value);
  run.dma_start_latency = std::max<std::int64_t>(1, target.dma_start_latency.value.value);
  run.dma_issue_floor = target.dma_issue_floor.value.value;
  run.semaphores.Reset(program.semaphore_count(),
                       std::max<std::int64_t>(1, target.semaphore_latency.value.value));
  run.engines_done.assign(program.transfer_count(), 0);
  Reset();
}

void Machine::Core::Reset() {
  instant.Reset();
  for (auto& module : compute) module->Reset();
  for (auto& module : queues) module->Reset();
  for (auto& module : dma) module->Reset();
}

void Machine::Core::Judge(RunResult& result, bool out_of_events) const {
  const auto look = [&](StreamId stream, const detail::StreamHead& head) {
    if (head.done()) return;
    const InstanceId id = head.instance();
    if (result.times[id.value].start >= Picoseconds(0)) return;
    const SemaphoreWait wait = head.unmet(run);
    result.blocked.push_back(
        {stream, id, wait, run.semaphores.visible(wait.semaphore), head.left()});
  };
  std::size_t unfinished = 0;
  for (const InstanceTimes& times : result.times) unfinished += times.finish < Picoseconds(0);
  if (unfinished == 0) return;
  result.outcome = out_of_events ? RunOutcome::kDeadlock : RunOutcome::kWatchdog;
  for (int e = 0; e < kComputeStreams; ++e) {
    look(StreamId::Compute(static_cast<Engine>(e)), compute[static_cast<std::size_t>(e)]->head());
  }
  for (int q = 0; q < kMaxDmaQueues; ++q)
    look(StreamId::Queue(q), queues[static_cast<std::size_t>(q)]->head());
}

Machine::Machine() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  SPILLWAY_CHECK(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS),
                 "the model counts picoseconds");
  core_ = std::make_unique<Core>();
  // Elaborates and lets every process run into its first wait: what is notified before is lost.
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Machine::~Machine() = default;

Machine& Machine::Instance() {
  // Never destroyed: SystemC's kernel must not outlive or be outlived by its modules at exit.
  static Machine* const machine = new Machine();
  return *machine;
}

RunResult Machine::Run(const HwProgram& program, const Target& target, const MemoryUse& use,
                       Effects* effects, const RunOptions& options) {
  CheckWaits(program);
  const std::lock_guard turn(core_->turn);
  RunResult result;
  core_->Arm(program, target, effects, result);
  if (effects != nullptr) {
    core_->memory.Prepare(target, use);
    effects->Load(core_->memory);
  }
  for (detail::TimedActor* stream : core_->run.streams) stream->RequestBegin();
  const std::int64_t limit =
      options.watchdog ? options.watchdog->value : WatchdogOf(program, core_->run);
  sc_core::sc_start(sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(limit)),
                    sc_core::SC_EXIT_ON_STARVATION);
  const bool out_of_events = !sc_core::sc_pending_activity();
  const std::exception_ptr failure = core_->instant.failure();
  if (!failure) core_->Judge(result, out_of_events);
  core_->Reset();
  if (failure) std::rethrow_exception(failure);
  static constexpr DmaRole kSpillRoles[] = {DmaRole::kSave, DmaRole::kReload};
  result.spill_in_flight = TimeInFlight(program, result.times, kSpillRoles, result.makespan);
  if (effects != nullptr) effects->Unload(core_->memory);
  return result;
}

}  // namespace spillway
