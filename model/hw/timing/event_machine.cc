#include "model/hw/timing/event_machine.h"

namespace spillway {
struct EventMachine::Parts {
  TimingCore core;
  MachineMemory memory;

  // Plays until nothing is left or the limit passes; true in the first case.
  bool PlayUntil(std::int64_t limit);
};

bool EventMachine::Parts::PlayUntil(std::int64_t limit) {
  std::int64_t next = core.PlayFirst();
  while (next <= limit) next = core.PlayNext();
  return next == TimingCore::kNever;
}

EventMachine::EventMachine() : parts_(std::make_unique<Parts>()) {}
EventMachine::~EventMachine() = default;

RunResult EventMachine::Run(const HwProgram& program, const Target& target, const MemoryUse& use,
                            Effects* effects, const RunOptions& options) {
  RunResult result;
  TimingCore& core = parts_->core;
  core.Arm(program, target, effects, parts_->memory, result);
  if (effects != nullptr) {
    parts_->memory.Prepare(target, use);
    effects->Load(parts_->memory);
  }
  const std::int64_t limit = TimingCore::LimitOf(options);
  const bool out_of_events = parts_->PlayUntil(limit);
  core.Conclude(out_of_events, limit);
  if (effects != nullptr) effects->Unload(parts_->memory);
  return result;
}

}  // namespace spillway
