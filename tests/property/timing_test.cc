// Allocated kernels with data: at the machine's times, streaming, and at other times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "properties/colouring_round.h"
#include "properties/played_case.h"
#include "properties/rapidcheck_kernels.h"
#include "sim/exec/kernel_effects.h"
#include "sim/values/reference_interpreter.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}
const Hwm& Oracle() {
  static const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  return *hwm;
}

struct Case {
  Kernel kernel;
  Allocation allocation;
  LoweredKernel lowered;
  Inputs inputs;
  InterpreterReport reference;

  LoweredKernel Without(std::size_t wait) const {
    LowerOptions options;
    options.dropped_waits = {wait};
    return *LowerKernel(allocation.kernel, allocation.placement, Trn2(), options);
  }
  PlayedCase Played(const LoweredKernel& program) const {
    return {allocation.kernel, program, Trn2(), inputs, reference.dram};
  }
};

Case Make(const KernelCase& c) {
  Kernel kernel = c.Decode();
  const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
  AllocateOptions options;
  options.sbuf_bytes = c.Between(needs.largest_working_set, needs.peak);
  Result<Allocation> allocation = Allocate(kernel, Trn2(), Oracle(), options);
  RC_ASSERT(allocation.has_value());
  Result<LoweredKernel> lowered = LowerKernel(allocation->kernel, allocation->placement, Trn2());
  RC_ASSERT(lowered.has_value());
  Inputs inputs = *GenerateInputs(kernel, 1);
  InterpreterReport reference = *Interpret(kernel, ValueMode::kTags, inputs);
  return {std::move(kernel), std::move(*allocation), std::move(*lowered), std::move(inputs),
          std::move(reference)};
}

void Require(const std::vector<Violation>& violations) {
  if (!violations.empty()) RC_FAIL(violations.front().text);
}

TEST(Played, AllocatedKernelsGiveTheReferencesBytesStreamingAndAtOtherTimes) {
  Shares shares;
  CasePlayer player;
  CheckProperty("played", 250, [&](const KernelCase& c) {
    const Case made = Make(c);
    const PlayedCase played = made.Played(made.lowered);
    Require(player.Play(played));
    Require(player.PlayStreaming(played));
    Require(player.PlayAtOtherTimes(played, 4, c.tightness));
    shares.Case();
    shares.Count("spilled", !made.allocation.sbuf.spilled.empty());
    shares.Count("waits", made.lowered.counts.waits > 10);
    shares.Count("placement alone orders something", made.lowered.counts.anti > 0);
  });
  shares.AtLeast("spilled", 40);
  shares.AtLeast("waits", 60);
  shares.AtLeast("placement alone orders something", 50);
}

// What a run at its own times can't see of waits that are left out, other times show: not all,
// since a late byte may have the value of an early one, or nobody may look at it again.
TEST(Played, OtherTimesShowMostWaitsThatAreLeftOut) {
  int dropped = 0;
  int at_once = 0;
  int at_other_times = 0;
  CasePlayer player;
  CheckProperty("left out", 60, [&](const KernelCase& c) {
    const Case made = Make(c);
    const std::size_t waits = made.lowered.counts.waits;
    const std::size_t step = waits / 12 + 1;
    for (std::size_t wait = c.tightness % step; wait < waits; wait += step) {
      const LoweredKernel broken = made.Without(wait);
      ++dropped;
      if (!player.Play(made.Played(broken)).empty()) {
        ++at_once;
      } else if (!player.PlayAtOtherTimes(made.Played(broken), 4, 1).empty()) {
        ++at_other_times;
      }
    }
  });
  std::cout << dropped << " waits left out: " << at_once << " seen at once, " << at_other_times
            << " more at other times\n";
  EXPECT_GT(dropped, 200);
  EXPECT_GT(at_other_times, 0);
  EXPECT_GE(at_once + at_other_times, dropped * 9 / 10);
}

// Broken programs read what they shouldn't, so leftovers of the last case would show.
TEST(Played, AMachineThatWasUsedBeforeIsLikeAFreshOne) {
  EventMachine used;
  int differs = 0;
  CheckProperty("fresh event machine", 60, [&](const KernelCase& c) {
    const Case made = Make(c);
    const std::size_t waits = made.lowered.counts.waits;
    const LoweredKernel broken = made.Without(waits == 0 ? 0 : c.tightness % waits);
    for (const LoweredKernel* program : {&made.lowered, &broken}) {
      EventMachine fresh;
      NamedData outputs[2];
      RunResult runs[2];
      for (int m = 0; m < 2; ++m) {
        KernelEffects effects(made.allocation.kernel, *program, ValueMode::kTags, made.inputs);
        runs[m] =
            (m == 0 ? fresh : used).Run(program->program, Trn2(), program->memory.use, &effects);
        outputs[m] = effects.TakeOutputs();
      }
      RC_ASSERT(runs[0].times == runs[1].times);
      RC_ASSERT(outputs[0] == outputs[1]);
      for (const auto& [name, data] : outputs[0])
        differs += data != made.reference.dram.at(name) ? 1 : 0;
    }
  });
  EXPECT_GT(differs, 0) << "no broken program showed";
}

}  // namespace
}  // namespace spillway
