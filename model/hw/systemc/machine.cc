#include "model/hw/systemc/machine.h"

#include <cstdlib>
#include <mutex>

#include "model/hw/systemc/detail/elaboration.h"
#include "model/hw/systemc/detail/sequencer.h"

namespace spillway {

std::mutex& detail::KernelTurn() {
  static std::mutex& turn = *new std::mutex();
  return turn;
}

struct Machine::Core {
  MachineMemory memory;
  TimingCore timing;
  detail::Sequencer sequencer{"neuron_core", timing};
};

Machine::Machine() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  core_ = std::make_unique<Core>();
  detail::ElaborateTaskActors();
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
  const std::lock_guard turn(detail::KernelTurn());
  RunResult result;
  TimingCore& timing = core_->timing;
  timing.Arm(program, target, effects, core_->memory, result);
  if (effects != nullptr) {
    core_->memory.Prepare(target, use);
    effects->Load(core_->memory);
  }
  const std::int64_t limit = TimingCore::LimitOf(options);
  core_->sequencer.Begin();
  // SystemC stops before what happens at the end of the duration; the limit itself is played.
  sc_core::sc_start(
      sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(limit) + 1),
      sc_core::SC_EXIT_ON_STARVATION);
  const bool out_of_events = !sc_core::sc_pending_activity();
  const std::exception_ptr failure = core_->sequencer.failure();
  if (!failure) timing.Conclude(out_of_events, limit);
  core_->sequencer.End();
  if (failure) std::rethrow_exception(failure);
  if (effects != nullptr) effects->Unload(core_->memory);
  return result;
}

}  // namespace spillway
