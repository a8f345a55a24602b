// Semaphores that only grow: steps, order of updates, 32 bits.
#include "model/hw/systemc/counting_semaphore.h"

#include <gmock/gmock.h>

#include <limits>

#include "model/hw/error.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CountingSemaphore, GrowsByOneOrBySixteen) {
  CountingSemaphore engine;
  engine.Complete(0, 1);
  EXPECT_TRUE(engine.Reaches(1));
  EXPECT_FALSE(engine.Reaches(2));
  CountingSemaphore transfers;
  transfers.Complete(0, 16);
  EXPECT_FALSE(transfers.Reaches(17));
  transfers.Complete(1, 16);
  EXPECT_EQ(transfers.value(), 32);
  EXPECT_TRUE(transfers.Reaches(32));
}

TEST(CountingSemaphore, AFastTransferDoesNotStandInForTheOneBeforeIt) {
  CountingSemaphore semaphore;
  EXPECT_THAT(semaphore.Complete(1, 16), IsEmpty());
  EXPECT_FALSE(semaphore.Reaches(16));
  EXPECT_THAT(semaphore.Complete(0, 16), ElementsAre(0, 1));
  EXPECT_TRUE(semaphore.Reaches(32));
}

TEST(CountingSemaphore, AStepBeyond32BitsIsAnOverflow) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  CountingSemaphore full(kMost - 16);
  full.Complete(0, 16);
  EXPECT_FALSE(full.overflown());
  EXPECT_TRUE(full.Reaches(std::int64_t{kMost}));
  full.Complete(1, 1);
  EXPECT_TRUE(full.overflown());
  // What wrapped says nothing any more.
  EXPECT_FALSE(full.Reaches(0));
}

TEST(CountingSemaphore, APartCompletesOnce) {
  CountingSemaphore semaphore;
  semaphore.Complete(0, 1);
  EXPECT_THROW(semaphore.Complete(0, 1), ContractViolation);
  semaphore.Complete(2, 1);
  EXPECT_THROW(semaphore.Complete(2, 1), ContractViolation);
}

}  // namespace
}  // namespace spillway
