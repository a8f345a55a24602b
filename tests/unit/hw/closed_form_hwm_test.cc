#include <gtest/gtest.h>

#include "model/hw/clock.h"
#include "model/hw/hwm.h"

namespace spillway {
namespace {

Cycles LatencyOn(const std::string& target, Space space, AccessShape shape) {
  return MakeClosedFormHwm(FindTarget(target).value())->Latency(space, shape);
}

// The oracle counts in nanoseconds; reports count in the target's reference clock.
Cycles Nanoseconds(const std::string& target, std::int64_t nanoseconds) {
  return CyclesIn(Picoseconds(1000) * nanoseconds, FindTarget(target)->reference_hertz);
}

constexpr AccessShape kTile{PartitionCount(128), Bytes(2048)};

TEST(ClosedFormHwm, SaysWhatItIs) {
  EXPECT_EQ(MakeClosedFormHwm(FindTarget("cayman").value())->Name(), "closed-form trn2");
}

// readInit 1300 + ceil(128 / 16) * 2048 bytes / DIV, rounded up.
TEST(ClosedFormHwm, ADramAccessIsAWholeDma) {
  EXPECT_EQ(LatencyOn("trn1", Space::kDram, kTile), Nanoseconds("trn1", 1300 + 964));  // DIV 17
  EXPECT_EQ(LatencyOn("trn2", Space::kDram, kTile), Nanoseconds("trn2", 1300 + 713));  // DIV 23
  EXPECT_EQ(LatencyOn("trn3", Space::kDram, kTile), Nanoseconds("trn3", 1300 + 497));  // DIV 33
}

TEST(ClosedFormHwm, ADmaServesSixteenPartitionsAtATime) {
  const auto latency = [](int partitions) {
    return LatencyOn("trn2", Space::kDram, {PartitionCount(partitions), Bytes(2300)});
  };
  EXPECT_EQ(latency(1), latency(16));
  EXPECT_EQ(latency(17), latency(32));
  EXPECT_EQ(latency(16), Nanoseconds("trn2", 1300 + 100));
  EXPECT_EQ(latency(17), Nanoseconds("trn2", 1300 + 200));
}

// (60 + 512 float32 elements) * 100 / f, rounded up.
TEST(ClosedFormHwm, AnSbufAccessIsItsStartAndItsElements) {
  EXPECT_EQ(LatencyOn("trn1", Space::kSbuf, kTile), Nanoseconds("trn1", 409));  // f 140
  EXPECT_EQ(LatencyOn("trn2", Space::kSbuf, kTile), Nanoseconds("trn2", 477));  // f 120
}

TEST(ClosedFormHwm, PsumCostsWhatSbufDoes) {
  EXPECT_EQ(LatencyOn("trn2", Space::kPsum, kTile), LatencyOn("trn2", Space::kSbuf, kTile));
}

TEST(ClosedFormHwm, ScratchpadPartitionsWorkInLockstep) {
  EXPECT_EQ(LatencyOn("trn2", Space::kSbuf, {PartitionCount(1), Bytes(2048)}),
            LatencyOn("trn2", Space::kSbuf, kTile));
}

TEST(ClosedFormHwm, NoAccessIsFree) {
  for (const Target& target : BuiltInTargets()) {
    for (const Space space : {Space::kDram, Space::kSbuf, Space::kPsum}) {
      EXPECT_GT(LatencyOn(target.name, space, {PartitionCount(0), Bytes(0)}), Cycles(0))
          << target.name << " " << SpaceName(space);
    }
  }
}

TEST(ClosedFormHwm, MoreBytesNeverCostLess) {
  for (const Target& target : BuiltInTargets()) {
    const auto hwm = MakeClosedFormHwm(target);
    for (const Space space : {Space::kDram, Space::kSbuf, Space::kPsum}) {
      Cycles last(0);
      for (std::int64_t bytes = 0; bytes <= 4096; ++bytes) {
        const Cycles latency = hwm->Latency(space, {PartitionCount(128), Bytes(bytes)});
        ASSERT_GE(latency, last) << target.name << " " << SpaceName(space) << " " << bytes;
        last = latency;
      }
    }
  }
}

// What makes a colourer keep a value in SBUF: the round trip costs several accesses.
TEST(ClosedFormHwm, DramCostsMoreThanSbufAtEverySize) {
  for (const Target& target : BuiltInTargets()) {
    for (const std::int64_t bytes : {1, 64, 2048, 65536}) {
      const AccessShape shape{PartitionCount(128), Bytes(bytes)};
      EXPECT_GT(LatencyOn(target.name, Space::kDram, shape),
                LatencyOn(target.name, Space::kSbuf, shape));
    }
  }
}

TEST(ClosedFormHwm, ANegativeSizeIsABugOfTheCaller) {
  EXPECT_THROW(LatencyOn("trn2", Space::kSbuf, {PartitionCount(1), Bytes(-1)}), ContractViolation);
}

}  // namespace
}  // namespace spillway
