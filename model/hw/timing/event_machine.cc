#include "model/hw/timing/event_machine.h"

#include <algorithm>
#include <array>
#include <bit>

namespace spillway {
namespace {

/// The actors' wake-ups as a tournament: each node holds the earlier of its two children.
class WakeTree {
 public:
  WakeTree() { earliest_.fill(TimingCore::kNever); }

  std::int64_t earliest() const { return earliest_[1]; }

  void Set(int actor, std::int64_t time) {
    std::size_t node = kLeaves + static_cast<std::size_t>(actor);
    earliest_[node] = time;
    while (node > 1) {
      const std::int64_t first = std::min(earliest_[node], earliest_[node ^ 1]);
      node /= 2;
      if (earliest_[node] == first) break;
      earliest_[node] = first;
    }
  }

  /// The actors that want to be woken at `earliest()`.
  TimingCore::ActorSet Due() const {
    TimingCore::ActorSet due = 0;
    Collect(1, due);
    return due;
  }

 private:
  static constexpr std::size_t kLeaves = 64;
  static_assert(TimingCore::kActors <= kLeaves);

  void Collect(std::size_t node, TimingCore::ActorSet& due) const {
    while (node < kLeaves) {
      node *= 2;
      if (earliest_[node] != earliest_[1]) {
        ++node;
      } else if (earliest_[node + 1] == earliest_[1]) {
        Collect(node + 1, due);
      }
    }
    due |= TimingCore::ActorSet{1} << (node - kLeaves);
  }

  std::array<std::int64_t, 2 * kLeaves> earliest_{};
};

}  // namespace

struct EventMachine::Parts {
  TimingCore core;
  MachineMemory memory;

  // Plays until nothing is left or the limit passes; true in the first case.
  bool PlayUntil(std::int64_t limit);
};

bool EventMachine::Parts::PlayUntil(std::int64_t limit) {
  WakeTree wakes;
  TimingCore::ActorSet due = core.first();
  std::int64_t now = 0;
  while (true) {
    core.Play(due, now);
    for (TimingCore::ActorSet left = core.TakeRearmed(); left != 0; left &= left - 1) {
      const int actor = std::countr_zero(left);
      wakes.Set(actor, core.wake(actor));
    }
    now = wakes.earliest();
    if (now == TimingCore::kNever) return true;
    if (now > limit) return false;
    due = wakes.Due();
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
