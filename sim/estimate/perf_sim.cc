#include "sim/estimate/perf_sim.h"

#include <algorithm>
#include <map>
#include <optional>

#include "model/hw/error.h"

namespace spillway {
namespace {

// What a full barrier waits for and holds back.
constexpr std::array kBarrierTimelines = {Timeline::kActivation, Timeline::kDve, Timeline::kPe,
                                          Timeline::kPool, Timeline::kSp};

// Nothing starts before the end of a barrier or, on its own stream, of a collective.
bool HasWindow(Timeline timeline) { return timeline < Timeline::kFullBarrier; }

class Pass {
 public:
  Pass(const PerfProgram& program, const PerfRules& rules, AntiDependences anti)
      : program_(program), rules_(rules), keeps_anti_(anti == AntiDependences::kKept) {
    times_.start.reserve(program.size());
    times_.end.reserve(program.size());
    slot_.resize(program.size());
  }

  PerfTimes Run() {
    for (std::size_t i = 0; i < program_.size(); ++i) Time(PerfId(i));
    return std::move(times_);
  }

 private:
  void Time(PerfId id) {
    const PerfInstruction& instruction = program_[id];
    const Cycles start = std::max({AfterProducers(id), AfterTimeline(instruction.timeline),
                                   AfterBanks(instruction.psum_banks),
                                   AfterSharedPort(instruction.timeline), AfterQueue(id)});
    const Cycles end = start + instruction.duration;
    times_.start.push_back(start);
    times_.end.push_back(end);
    Cycles& timeline_end = times_.timeline_end[Number(instruction.timeline)];
    timeline_end = std::max(timeline_end, end);
    times_.cost = std::max(times_.cost, end);
    Note(instruction, NextDispatch(instruction, end));
  }

  Cycles AfterProducers(PerfId id) const {
    Cycles after;
    for (const Producer& producer : program_.ProducersOf(id)) {
      if (producer.anti && !keeps_anti_) continue;
      after = std::max(after, Contribution(producer.instruction));
    }
    return after;
  }

  Cycles Contribution(PerfId producer) const {
    return program_[producer].dma == DmaPart::kTrigger ? times_.start[producer.value]
                                                       : times_.end[producer.value];
  }

  Cycles AfterTimeline(Timeline timeline) const {
    if (timeline != Timeline::kFullBarrier) return dispatch_[Number(timeline)];
    Cycles after;
    for (const Timeline engine : kBarrierTimelines)
      after = std::max(after, dispatch_[Number(engine)]);
    return after;
  }

  Cycles AfterBanks(const std::vector<BankId>& banks) const {
    Cycles after;
    for (const BankId bank : banks) {
      const auto found = bank_dispatch_.find(bank);
      if (found != bank_dispatch_.end()) after = std::max(after, found->second);
    }
    return after;
  }

  Cycles AfterSharedPort(Timeline timeline) const {
    if (!rules_.shared_port) return Cycles(0);
    if (timeline == Timeline::kPool) return dispatch_[Number(Timeline::kDve)];
    if (timeline == Timeline::kDve) return dispatch_[Number(Timeline::kPool)];
    return timeline == Timeline::kActivation ? vector_psum_dispatch_ : Cycles(0);
  }

  // Takes a slot for a trigger, and leaves the one of a transfer.
  Cycles AfterQueue(PerfId id) {
    const PerfInstruction& instruction = program_[id];
    if (instruction.dma == DmaPart::kTransfer) return times_.start[instruction.trigger.value];
    if (instruction.dma == DmaPart::kNone) return Cycles(0);
    const auto queue = static_cast<std::size_t>(instruction.queue);
    std::vector<PerfId>& triggers = triggers_[queue];
    triggers.push_back(id);
    const auto depth = static_cast<std::size_t>(rules_.queue_depth[queue]);
    if (depth == 0 || triggers.size() <= depth) return Cycles(0);
    const std::optional<Cycles>& head = slot_[triggers[triggers.size() - 1 - depth].value];
    SPILLWAY_CHECK(head.has_value(), "the transfer that frees a slot comes before who needs it");
    return *head;
  }

  Cycles NextDispatch(const PerfInstruction& instruction, Cycles end) const {
    if (instruction.duration <= rules_.overlaps_above || !HasWindow(instruction.timeline))
      return end;
    if (instruction.timeline != Timeline::kDma) return end - rules_.compute_window;
    return instruction.duration >= rules_.dma_window ? end - rules_.dma_window : end;
  }

  void Note(const PerfInstruction& instruction, Cycles next) {
    const auto raise = [next](Cycles& dispatch) { dispatch = std::max(dispatch, next); };
    if (instruction.timeline == Timeline::kFullBarrier) {
      for (const Timeline engine : kBarrierTimelines) raise(dispatch_[Number(engine)]);
    } else {
      raise(dispatch_[Number(instruction.timeline)]);
    }
    for (const BankId bank : instruction.psum_banks) raise(bank_dispatch_[bank]);
    if (!instruction.psum_banks.empty() &&
        (instruction.timeline == Timeline::kPool || instruction.timeline == Timeline::kDve)) {
      raise(vector_psum_dispatch_);
    }
    if (instruction.dma == DmaPart::kTransfer)
      slot_[instruction.trigger.value] = times_.start.back();
  }

  static std::size_t Number(Timeline timeline) { return static_cast<std::size_t>(timeline); }

  const PerfProgram& program_;
  const PerfRules& rules_;
  const bool keeps_anti_;
  PerfTimes times_;
  std::array<Cycles, kTimelines> dispatch_{};
  std::map<BankId, Cycles> bank_dispatch_;
  Cycles vector_psum_dispatch_;                            ///< after PSUM writes of Pool and DVE
  std::array<std::vector<PerfId>, kPerfQueues> triggers_;  ///< of each queue, in order
  std::vector<std::optional<Cycles>> slot_;  ///< when a trigger's transfer left the queue
};

}  // namespace

PerfTimes TimeBlock(const PerfProgram& program, const PerfRules& rules, AntiDependences anti) {
  return Pass(program, rules, anti).Run();
}

}  // namespace spillway
