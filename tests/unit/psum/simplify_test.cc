#include "model/alloc/psum/simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/psum/interference.h"
#include "tests/unit/check/test_kernel.h"

namespace spillway::psum {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

BankRange OneBank(int begin, int end) {
  BankRange range;
  range.life = Points(begin, end);
  return range;
}

//   a ####
//   b   ########      two neighbours, until one of the others has left
//   c         ####
TEST(Simplify, ANodeBecomesSafeOnceANeighbourHasLeft) {
  IdVector<NodeId, BankRange> ranges;
  ranges.push_back(OneBank(0, 3));
  ranges.push_back(OneBank(2, 8));
  ranges.push_back(OneBank(6, 9));
  const IdVector<NodeId, SpillCost> costs(ranges.size());
  const NodeStack stack = Simplify(ranges, FindInterference(ranges), costs, BankCount(2));
  EXPECT_THAT(stack.definite, SizeIs(3));
  EXPECT_THAT(stack.optimistic, IsEmpty());
}

TEST(Simplify, ThreeThatAllMeetDoNotPassTheTestOfTwoBanks) {
  IdVector<NodeId, BankRange> ranges;
  for (int i = 0; i < 3; ++i) ranges.push_back(OneBank(i, 9));
  const IdVector<NodeId, SpillCost> costs(ranges.size());
  const NodeStack stack = Simplify(ranges, FindInterference(ranges), costs, BankCount(2));
  EXPECT_THAT(stack.definite, IsEmpty());
  EXPECT_THAT(stack.optimistic, SizeIs(3));
}

}  // namespace
}  // namespace spillway::psum
