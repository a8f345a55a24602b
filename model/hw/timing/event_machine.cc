#include "model/hw/timing/event_machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace spillway {
namespace {

/// The actors' wake-ups in groups of eight, with the earliest of each group.
class WakeTimes {
 public:
  WakeTimes() {
    times_.fill(TimingCore::kNever);
    earliest_.fill(TimingCore::kNever);
  }

  void Set(int actor, std::int64_t time) {
    const auto leaf = static_cast<std::size_t>(actor);
    std::int64_t& earliest = earliest_[leaf / kGroup];
    const std::int64_t before = std::exchange(times_[leaf], time);
    if (time <= earliest) {
      earliest = time;
    } else if (before == earliest) {
      const auto group = times_.begin() + static_cast<std::ptrdiff_t>(leaf / kGroup * kGroup);
      earliest = *std::min_element(group, group + kGroup);
    }
  }

  std::int64_t Earliest() const { return *std::min_element(earliest_.begin(), earliest_.end()); }

  /// The actors that want to be woken at `time`, the earliest.
  TimingCore::ActorSet Due(std::int64_t time) const {
    TimingCore::ActorSet due = 0;
    for (std::size_t g = 0; g < kGroups; ++g) {
      if (earliest_[g] != time) continue;
      for (std::size_t leaf = g * kGroup; leaf < (g + 1) * kGroup; ++leaf) {
        due |= TimingCore::ActorSet{times_[leaf] == time} << leaf;
      }
    }
    return due;
  }

 private:
  static constexpr std::size_t kGroup = 8;
  static constexpr std::size_t kGroups = (TimingCore::kActors + kGroup - 1) / kGroup;

  std::array<std::int64_t, kGroups * kGroup> times_{};
  std::array<std::int64_t, kGroups> earliest_{};
};

}  // namespace

struct EventMachine::Parts {
  TimingCore core;
  MachineMemory memory;

  // Plays until nothing is left or the limit passes; true in the first case.
  bool PlayUntil(std::int64_t limit);
};

bool EventMachine::Parts::PlayUntil(std::int64_t limit) {
  WakeTimes wakes;
  TimingCore::ActorSet due = core.first();
  std::int64_t now = 0;
  while (true) {
    core.Play(due, now);
    for (TimingCore::ActorSet left = core.TakeRearmed(); left != 0; left &= left - 1) {
      const int actor = std::countr_zero(left);
      wakes.Set(actor, core.wake(actor));
    }
    now = wakes.Earliest();
    if (now == TimingCore::kNever) return true;
    if (now > limit) return false;
    due = wakes.Due(now);
  }
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
  const std::int64_t limit = core.LimitOf(options);
  const bool out_of_events = parts_->PlayUntil(limit);
  core.Conclude(out_of_events, limit);
  if (effects != nullptr) effects->Unload(parts_->memory);
  return result;
}

}  // namespace spillway
