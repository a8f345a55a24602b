#include "sim/bench/machine_programs.h"

#include <gtest/gtest.h>

#include <numeric>

#include "model/hw/systemc/bare_systemc.h"
#include "model/hw/systemc/machine.h"
#include "model/hw/timing/event_machine.h"
#include "sim/exec/executor.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = FindTarget("trn2").value();
  return target;
}

TEST(MachineProgram, HasTheInstancesAndTheShareOfTransfersThatWereAskedFor) {
  const HwProgram program = MachineProgram({.instances = 4000});
  EXPECT_EQ(program.instances().size(), 4000U);
  EXPECT_NEAR(static_cast<double>(program.transfer_count()) / 4000, kTransferPercent / 100.0, 0.03);
  EXPECT_EQ(EventMachine().Run(program, Trn2(), {}, nullptr).outcome, RunOutcome::kFinished);
}

TEST(MachineProgram, IsTheSameFromTheSameSeed) {
  const auto finish = [](std::uint64_t seed) {
    return EventMachine()
        .Run(MachineProgram({.instances = 300, .seed = seed}), Trn2(), {}, nullptr)
        .times;
  };
  EXPECT_EQ(finish(7), finish(7));
  EXPECT_NE(finish(7), finish(8));
}

TEST(BareSystemC, TakesAsLongAsItsLongestStreamAndLeavesTheMachineAlone) {
  const HwProgram program = MachineProgram({.instances = 500});
  const std::vector<std::vector<std::int64_t>> durations = DurationsByStream(program);
  std::int64_t longest = 0;
  for (const auto& stream : durations) {
    longest = std::max(longest, std::accumulate(stream.begin(), stream.end(), std::int64_t{0}));
  }
  BareSystemC& bare = BareSystemC::Instance();
  EXPECT_EQ(bare.Run(durations), longest);
  const auto before = Machine::Instance().Run(program, Trn2(), {}, nullptr).times;
  EXPECT_EQ(bare.Run(durations), longest);
  EXPECT_EQ(Machine::Instance().Run(program, Trn2(), {}, nullptr).times, before);
}

TEST(CopyKernel, MovesWhatItSays) {
  const Kernel kernel = CopyKernel(8);
  const auto report = Execute(kernel, FixedPlacement(kernel), Trn2(), ValueMode::kNone, {});
  ASSERT_FALSE(report) << "its tiles have no addresses yet";
  Kernel placed = kernel;
  for (Tensor& tensor : placed.tensors) {
    if (tensor.space != Space::kSbuf) continue;
    tensor.at = {{Partition(0), ByteOffset(0)}, {Partition(0), ByteOffset(2048)}};
  }
  const auto ran = Execute(placed, FixedPlacement(placed), Trn2(), ValueMode::kNone, {});
  ASSERT_TRUE(ran) << ran.error().ToString();
  EXPECT_EQ(ran->dma_transfers, 16);
  EXPECT_EQ(ran->dma_bytes, Bytes(16 * kCopyBytes));
}

}  // namespace
}  // namespace spillway
