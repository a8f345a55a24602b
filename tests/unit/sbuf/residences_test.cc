// Which uses of a spilled tensor share one working copy.
#include "model/alloc/sbuf/residences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/sbuf/small_kernel.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;

constexpr Bytes kGranule{8};
constexpr std::int64_t kRoom = 1000;

/// Points of the uses of every residence of `t`, for example "0 1 | 3".
std::string Residences(const SmallKernel& k, TensorId t, std::vector<std::int64_t> free = {},
                       std::vector<TensorId> apart = {}) {
  const LinearKernel linear = k.Linear();
  if (free.empty()) free.assign(linear.point_count(), kRoom);
  std::string text;
  for (const Residence& residence :
       FindResidences(linear, CollectUses(linear, {t}), apart, std::move(free), kGranule)) {
    if (!text.empty()) text += " | ";
    for (std::size_t u = 0; u < residence.uses.size(); ++u) {
      text += (u > 0 ? " " : "") + std::to_string(residence.uses[u].point.value);
    }
  }
  return text;
}

TEST(Residences, JoinUsesThatFollowEachOther) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Read(t);
  k.Write(k.Sbuf("a", 8));
  k.Read(t);
  EXPECT_EQ(Residences(k, t), "0 1 3");
}

TEST(Residences, AWriteStartsAfresh) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Write(t);
  k.Read(t);
  k.Write(t);
  k.Read(t);
  EXPECT_EQ(Residences(k, t), "0 1 | 2 3");
}

TEST(Residences, EndWhereTheCopyDoesNotFitInBetween) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 16);
  k.Read(t);                // 0
  k.Write(k.Sbuf("a", 8));  // 1
  k.Read(t);                // 2
  k.Write(k.Sbuf("b", 8));  // 3
  k.Read(t);                // 4
  EXPECT_EQ(Residences(k, t, {9, 2, 9, 1, 9}), "0 2 | 4");
}

TEST(Residences, ShortGapsGetTheRoomFirst) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  const TensorId u = k.Sbuf("u", 8);
  k.Read(t);                // 0
  k.Read(u);                // 1
  k.Write(k.Sbuf("a", 8));  // 2
  k.Read(u);                // 3
  k.Read(t);                // 4
  const LinearKernel linear = k.Linear();
  const auto residences =
      FindResidences(linear, CollectUses(linear, {t, u}), {}, {9, 9, 1, 9, 9}, kGranule);
  ASSERT_EQ(residences.size(), 3u);
  EXPECT_EQ(residences[2].tensor, u);
  EXPECT_EQ(residences[2].uses.size(), 2u);
}

TEST(Residences, NeverCrossTheEdgeOfALoop) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Read(t);       // 0
  k.Loop("i", 2);  // 1
  k.Read(t);       // 2
  k.Read(t);       // 3
  k.End();         // 4
  k.Read(t);       // 5
  EXPECT_EQ(Residences(k, t), "0 | 2 3 | 5");
}

TEST(Residences, CrossALoopThatDoesNotTouchTheTensor) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Read(t);                // 0
  k.Loop("i", 2);           // 1
  k.Write(k.Sbuf("a", 8));  // 2
  k.End();                  // 3
  k.Read(t);                // 4
  EXPECT_EQ(Residences(k, t), "0 4");
}

TEST(Residences, TwoLoopsOfOneLevelAreNotOneLevel) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  for (const char* loop : {"i", "j"}) {
    k.Loop(loop, 2);
    k.Read(t);
    k.End();
  }
  EXPECT_EQ(Residences(k, t), "1 | 4");
}

TEST(Residences, CopiesOfAnEarlierRoundGetOneUseEach) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8);
  k.Read(t);
  k.Read(t);
  EXPECT_EQ(Residences(k, t, {}, {t}), "0 | 1");
}

TEST(Residences, BlocksAreSeparate) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  for (int use = 0; use < 4; ++use) k.Read(k.b.Whole(t).Block({use % 2}));
  EXPECT_EQ(Residences(k, t), "0 2 | 1 3");
}

TEST(Residences, AWriteToAnotherBlockDoesNotEndThem) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  k.Read(k.b.Whole(t).Block({0}));
  k.Write(k.b.Whole(t).Block({1}));
  k.Read(k.b.Whole(t).Block({0}));
  EXPECT_EQ(Residences(k, t), "0 2 | 1");
}

TEST(Residences, EndAtAWriteThatMayNameTheSameBlock) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  k.Loop("i", 2);                               // 0
  k.Read(k.b.Whole(t).Block({0}));              // 1
  k.Write(k.b.Whole(t).Block({k.Index("i")}));  // 2
  k.Read(k.b.Whole(t).Block({0}));              // 3
  k.End();
  EXPECT_EQ(Residences(k, t), "1 | 2 | 3");
}

TEST(Residences, EndAtADeeperWriteThatMayNameTheSameBlock) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  k.Read(k.b.Whole(t).Block({0}));              // 0
  k.Loop("i", 2);                               // 1
  k.Write(k.b.Whole(t).Block({k.Index("i")}));  // 2
  k.End();                                      // 3
  k.Read(k.b.Whole(t).Block({0}));              // 4
  EXPECT_EQ(Residences(k, t), "0 | 2 | 4");
}

// t{i} may be t{0}: what the instruction read as t{0} is stale once it has written t{i}.
TEST(Residences, EndAtAnInstructionThatItselfMayWriteTheBlockUnderAnotherIndex) {
  SmallKernel k;
  const TensorId t = k.Sbuf("t", 8, 128, {.blocks = {2}});
  k.Loop("i", 2);  // 0
  const Operand moving = k.b.Whole(t).Block({k.Index("i")});
  k.Combine(moving, moving, k.b.Whole(t).Block({0}));  // 1
  k.Read(k.b.Whole(t).Block({0}));                     // 2
  k.End();
  EXPECT_EQ(Residences(k, t), "1 | 1 | 2");
}

TEST(CollectUses, JoinsWhatOneInstructionDoesToOneBlockAndSkipsSpillCopies) {
  SmallKernel k;
  const TensorId home = k.b.Dram("home", DType::kUint8, {1024});
  const TensorId t = k.Sbuf("t", 8);
  k.b.Copy(k.b.Whole(t), k.b.Whole(home)).Spill(SpillRole::kReload);
  k.Combine(t, t, t);
  const LinearKernel linear = k.Linear();
  const std::vector<SpilledUse> uses = CollectUses(linear, {t});
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].point, PointId(1));
  EXPECT_EQ(uses[0].reads.size(), 2u);
  EXPECT_EQ(uses[0].writes.size(), 1u);
}

TEST(FreeGranules, IsTheCapacityLessWhatStaysLive) {
  SmallKernel k;
  const TensorId a = k.Sbuf("a", 8);
  const TensorId b = k.Sbuf("b", 20);
  const TensorId t = k.Sbuf("t", 80);
  k.Write(a);
  k.Write(t);
  k.Write(b);
  k.Read(a);
  k.Read(t);
  const LinearKernel linear = k.Linear();
  const Nodes nodes = CreateIntervals(linear.kernel, FindLiveRanges(linear, kGranule),
                                      FindPartners(linear, Bytes(800)), kGranule);
  EXPECT_THAT(FreeGranules(nodes.all, {t}, linear.point_count(), Granules(10)),
              ElementsAre(9, 9, 6, 9, 10));
}

}  // namespace
}  // namespace spillway
