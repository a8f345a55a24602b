// Phases of a barrier: arrivals kept apart, bytes, parity, waiters that lag.
#include "model/hw/systemc/arrival_barrier.h"

#include <gmock/gmock.h>

#include "model/hw/error.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ArrivalBarrier, FlipsItsParityWhenAllHaveArrived) {
  ArrivalBarrier barrier(2);
  EXPECT_FALSE(barrier.IsOver(0));
  EXPECT_FALSE(barrier.Arrive(0, 0));
  EXPECT_FALSE(barrier.State().parity);
  EXPECT_TRUE(barrier.Arrive(1, 0));
  EXPECT_TRUE(barrier.State().parity);
  EXPECT_TRUE(barrier.IsOver(0));
  EXPECT_FALSE(barrier.IsOver(1));
  barrier.Arrive(0, 1);
  EXPECT_TRUE(barrier.Arrive(1, 1));
  EXPECT_FALSE(barrier.State().parity);
  EXPECT_TRUE(barrier.IsOver(1));
  EXPECT_FALSE(barrier.IsOver(2));
  EXPECT_EQ(barrier.State().generation, 2);
}

TEST(ArrivalBarrier, AContributorThatIsAheadDoesNotStandInForAnother) {
  ArrivalBarrier barrier(2);
  barrier.Arrive(0, 0);
  EXPECT_FALSE(barrier.Arrive(0, 1));
  EXPECT_THAT(barrier.State().lacking, ElementsAre(1u));
  // The phase that was reached early is over with the one before it.
  barrier.Arrive(1, 1);
  EXPECT_EQ(barrier.State().generation, 0);
  EXPECT_TRUE(barrier.Arrive(1, 0));
  EXPECT_EQ(barrier.State().generation, 2);
}

TEST(ArrivalBarrier, WaitsForTheBytesThatWereAnnounced) {
  ArrivalBarrier barrier(1);
  EXPECT_FALSE(barrier.Arrive(0, 0, Bytes(96)));
  EXPECT_THAT(barrier.State().lacking, IsEmpty());
  EXPECT_FALSE(barrier.CompleteBytes(0, 0, Bytes(64)));
  EXPECT_EQ(barrier.State().pending_bytes, Bytes(32));
  EXPECT_FALSE(barrier.HasArrived(0, 0));
  EXPECT_TRUE(barrier.CompleteBytes(0, 0, Bytes(32)));
  EXPECT_TRUE(barrier.HasArrived(0, 0));
  EXPECT_TRUE(barrier.IsOver(0));
}

TEST(ArrivalBarrier, TransfersOfTwoPhasesMayEndInAnyOrder) {
  ArrivalBarrier barrier(1);
  barrier.Arrive(0, 0, Bytes(8));
  barrier.Arrive(0, 1, Bytes(8));
  EXPECT_FALSE(barrier.CompleteBytes(0, 1, Bytes(8)));
  EXPECT_FALSE(barrier.IsOver(0));
  EXPECT_TRUE(barrier.CompleteBytes(0, 0, Bytes(8)));
  EXPECT_EQ(barrier.State().generation, 2);
}

TEST(ArrivalBarrier, ItsParityMisleadsAWaiterThatLagsTwoPhases) {
  ArrivalBarrier barrier(1);
  barrier.Arrive(0, 0);
  EXPECT_FALSE(barrier.IsSkewed(0));
  barrier.Arrive(0, 1);
  // The parity is again the one that says that phase 0 runs.
  EXPECT_EQ(barrier.State().parity, ArrivalBarrier(1).State().parity);
  EXPECT_TRUE(barrier.IsSkewed(0));
  EXPECT_FALSE(barrier.IsSkewed(1));
  EXPECT_TRUE(barrier.IsOver(0));
}

TEST(ArrivalBarrier, WithoutContributorsNoPhaseIsEverOver) {
  const ArrivalBarrier barrier(0);
  EXPECT_FALSE(barrier.IsOver(0));
  EXPECT_EQ(barrier.State(), (BarrierState{0, false, {}, Bytes(0)}));
}

TEST(ArrivalBarrier, RefusesWhatNoProgramMayDo) {
  ArrivalBarrier barrier(2);
  barrier.Arrive(0, 0, Bytes(4));
  EXPECT_THROW(barrier.Arrive(0, 0), ContractViolation);
  EXPECT_THROW(barrier.Arrive(2, 0), ContractViolation);
  EXPECT_THROW(barrier.CompleteBytes(0, 0, Bytes(5)), ContractViolation);
  EXPECT_THROW(barrier.CompleteBytes(1, 0, Bytes(0)), ContractViolation);
  barrier.CompleteBytes(0, 0, Bytes(4));
  barrier.Arrive(1, 0);
  EXPECT_THROW(barrier.Arrive(1, 0), ContractViolation);
}

}  // namespace
}  // namespace spillway
