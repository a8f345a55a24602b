#include "model/alloc/check/races.h"

#include <gtest/gtest.h>

#include "tests/unit/check/test_kernel.h"

namespace spillway {
namespace {

constexpr ComputeTime kEndsAlone{Picoseconds(100), Picoseconds(100)};
constexpr ComputeTime kOverlaps{Picoseconds(100), Picoseconds(300)};

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

using Waits = std::vector<SemaphoreWait>;

std::vector<Violation> RacesOf(const TestKernel& k, const HwProgram& program,
                               const Placement& places) {
  return CheckRaces({k.kernel(), program, places, Trn2()}).violations;
}

/// a at byte 0 and b at byte 64 of all partitions; a home in DRAM.
struct Tensors : TestKernel {
  TensorId a = Sbuf("a", 128, 32);
  TensorId b = Sbuf("b", 128, 32);
  TensorId home = Dram("home", 4096);
  Placement places = PlacementOf({Place(0, 0), Place(0, 64), Place(0, 0)});
};

TEST(Races, AReadOnAnotherEngineThatDoesNotWaitIsOne) {
  Tensors k;
  k.Write(k.a);
  k.Read(k.a);
  HwProgram program;
  program.AddCompute(Engine::kPool, kEndsAlone, 0, {});
  program.AddCompute(Engine::kAct, kOverlaps, 0, {});
  const std::vector<Violation> races = RacesOf(k, program, k.places);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].kind, Kind::kRace);
  EXPECT_EQ(races[0].tensors, std::vector<std::string>{"a"});
  EXPECT_EQ(races[0].range, Range(0, 32));
  EXPECT_EQ(races[0].text,
            "tensor_copy #0 on pool writes a and tensor_copy #1 on act reads a, both at sbuf "
            "partitions [0, 128), bytes [0, 32): expected the first to end before the second "
            "starts, found no order (0 of pool have surely ended then; it is number 1)");
}

TEST(Races, AreNoneWhereTheReadWaitsForTheEnd) {
  Tensors k;
  k.Write(k.a);
  k.Read(k.a);
  HwProgram program;
  const InstanceId write = program.AddCompute(Engine::kPool, kEndsAlone, 0, {});
  program.AddCompute(Engine::kAct, kOverlaps, 0, Waits{program.Finished(write)});
  EXPECT_TRUE(RacesOf(k, program, k.places).empty());
}

TEST(Races, AreOnAnEngineThatOverlapsItsInstancesWithItself) {
  for (const bool overlaps : {false, true}) {
    Tensors k;
    k.Write(k.a);
    k.Read(k.a);
    HwProgram program;
    program.AddCompute(Engine::kDve, overlaps ? kOverlaps : kEndsAlone, 0, {});
    program.AddCompute(Engine::kDve, kOverlaps, 0, {});
    EXPECT_EQ(RacesOf(k, program, k.places).size(), overlaps ? 1u : 0u);
  }
}

TEST(Races, AreNoneBetweenWritesAndEarlierAccessesOfOneEngine) {
  Tensors k;
  k.Read(k.a);
  k.Write(k.a);
  k.Write(k.a);
  HwProgram program;
  for (int i = 0; i < 3; ++i) program.AddCompute(Engine::kDve, kOverlaps, 0, {});
  EXPECT_TRUE(RacesOf(k, program, k.places).empty());
}

TEST(Races, AreBetweenTransfersOfOneQueueSinceTheyEndInAnyOrder) {
  Tensors k;
  k.Op({k.At(k.a)}, {k.At(k.home)}, "dma_copy");
  k.Op({k.At(k.home)}, {k.At(k.a)}, "dma_copy");
  for (const bool waits : {false, true}) {
    HwProgram program;
    Transfer transfer;
    transfer.descriptor_time = Picoseconds(10);
    const InstanceId load = program.AddTransfer(0, transfer, {});
    program.AddTransfer(0, transfer, waits ? Waits{program.Finished(load)} : Waits{});
    // One on the tensor, one on its home.
    EXPECT_EQ(RacesOf(k, program, k.places).size(), waits ? 0u : 2u);
  }
}

TEST(Races, AreWhereASourceIsOverwrittenBeforeItsTransferHasEnded) {
  Tensors k;
  k.Op({k.At(k.home)}, {k.At(k.a)}, "dma_copy");
  k.Write(k.a);
  HwProgram program;
  Transfer transfer;
  transfer.descriptor_time = Picoseconds(10);
  const InstanceId save = program.AddTransfer(3, transfer, {});
  SemaphoreWait some = program.Finished(save);
  --some.at_least;
  program.AddCompute(Engine::kDve, kOverlaps, 0, Waits{some});
  const std::vector<Violation> races = RacesOf(k, program, k.places);
  ASSERT_EQ(races.size(), 1u) << "15 of 16 increments are not the end";
  EXPECT_NE(races[0].text.find("reads a"), std::string::npos) << races[0].text;
}

TEST(Races, AreNoneWhereAnotherEngineWaitedAndWasWaitedFor) {
  Tensors k;
  k.Op({k.At(k.a)}, {k.At(k.home)}, "dma_copy");
  k.Op({k.At(k.b)}, {k.At(k.a)});
  k.Op({}, {k.At(k.b), k.At(k.a)});
  HwProgram program;
  Transfer transfer;
  transfer.descriptor_time = Picoseconds(10);
  const InstanceId load = program.AddTransfer(0, transfer, {});
  const InstanceId copy =
      program.AddCompute(Engine::kPool, kEndsAlone, 0, Waits{program.Finished(load)});
  program.AddCompute(Engine::kAct, kOverlaps, 0, Waits{program.Finished(copy)});
  EXPECT_TRUE(RacesOf(k, program, k.places).empty());
}

TEST(Races, AreNoneWhereTheTransferBeforeOnTheQueueWaited) {
  Tensors k;
  k.Write(k.a);
  k.Op({k.At(k.home, {.count = 32})}, {k.At(k.a, {.partitions = 1})}, "dma_copy");
  k.Op({k.At(k.home, {.offset = 32, .count = 32})}, {k.At(k.a, {.partitions = 1})}, "dma_copy");
  HwProgram program;
  Transfer transfer;
  transfer.descriptor_time = Picoseconds(10);
  const InstanceId write = program.AddCompute(Engine::kPool, kEndsAlone, 0, {});
  program.AddTransfer(0, transfer, Waits{program.Finished(write)});
  program.AddTransfer(0, transfer, {});
  EXPECT_TRUE(RacesOf(k, program, k.places).empty());
  HwProgram other;
  const InstanceId first = other.AddCompute(Engine::kPool, kEndsAlone, 0, {});
  other.AddTransfer(0, transfer, Waits{other.Finished(first)});
  other.AddTransfer(1, transfer, {});
  EXPECT_EQ(RacesOf(k, other, k.places).size(), 1u) << "another queue knows nothing of it";
}

TEST(Races, AreBetweenTensorsThatShareBytesAlone) {
  TestKernel k;
  const TensorId a = k.Sbuf("a", 32, 32);
  const TensorId b = k.Sbuf("b", 32, 32);
  k.Read(a);
  k.Write(b);
  HwProgram program;
  program.AddCompute(Engine::kAct, kOverlaps, 0, {});
  program.AddCompute(Engine::kPool, kEndsAlone, 0, {});
  EXPECT_TRUE(RacesOf(k, program, PlacementOf({Place(0, 0), Place(0, 32)})).empty());
  EXPECT_TRUE(RacesOf(k, program, PlacementOf({Place(0, 0), Place(32, 0)})).empty());
  const auto races = RacesOf(k, program, PlacementOf({Place(0, 0), Place(0, 31)}));
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].tensors, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(races[0].range, Range(31, 32));
}

TEST(Races, AreWhereTheOrderIsTheOtherWayRound) {
  Tensors k;
  k.Write(k.a);
  k.Read(k.a);
  HwProgram program;
  program.AddCompute(Engine::kPool, kEndsAlone, 0,
                     Waits{{HwProgram::CompletionsOf(Engine::kAct), 1}});
  program.AddCompute(Engine::kAct, kOverlaps, 0, {});
  const auto races = RacesOf(k, program, k.places);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_NE(races[0].text.find("the other way round"), std::string::npos) << races[0].text;
}

TEST(Races, OfOneCauseAreCountedAndNameTheIteration) {
  Tensors k;
  k.Open(3);
  k.Write(k.a);
  k.Read(k.a);
  k.Close();
  HwProgram program;
  for (int i = 0; i < 3; ++i) {
    program.AddCompute(Engine::kPool, kEndsAlone, 0, {});
    program.AddCompute(Engine::kAct, kOverlaps, 0, {});
  }
  const auto races = RacesOf(k, program, k.places);
  ASSERT_EQ(races.size(), 2u);
  EXPECT_NE(races[0].text.find("tensor_copy #1 (l0=0) on act"), std::string::npos) << races[0].text;
  EXPECT_NE(races[0].text.find("2 more such meetings"), std::string::npos) << races[0].text;
  EXPECT_NE(races[1].text.find("tensor_copy #2 (l0=1) on pool"), std::string::npos);
}

TEST(Races, AWaitThatNothingMeetsIsADeadlock) {
  Tensors k;
  k.Write(k.a);
  k.Write(k.b);
  HwProgram program;
  program.AddCompute(Engine::kPool, kEndsAlone, 0,
                     Waits{{HwProgram::CompletionsOf(Engine::kAct), 2}});
  program.AddCompute(Engine::kAct, kOverlaps, 0, {});
  const auto found = RacesOf(k, program, k.places);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kDeadlock);
  EXPECT_EQ(found[0].text,
            "tensor_copy #0 on pool waits for 2 of act completions, which never come");
}

TEST(Races, EnginesThatWaitForEachOtherAreADeadlock) {
  Tensors k;
  k.Write(k.a);
  k.Write(k.b);
  HwProgram program;
  program.AddCompute(Engine::kPool, kEndsAlone, 0,
                     Waits{{HwProgram::CompletionsOf(Engine::kAct), 1}});
  program.AddCompute(Engine::kAct, kOverlaps, 0,
                     Waits{{HwProgram::CompletionsOf(Engine::kPool), 1}});
  EXPECT_EQ(RacesOf(k, program, k.places).size(), 2u);
}

TEST(Races, AProgramThatLacksAnInstanceIsNotTheKernels) {
  Tensors k;
  k.Write(k.a);
  const auto found = RacesOf(k, HwProgram(), k.places);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("plays 0 instances"), std::string::npos);
}

}  // namespace
}  // namespace spillway
