// Where one of two overlapping tensors would fit, and what is said where it fits nowhere.
#include "model/alloc/nki/free_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/nki/check_tile_lifetimes.h"
#include "tests/unit/nki/rings.h"

namespace spillway::nki {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

constexpr std::int64_t kWindow = 212984;  // of trn2

Address At(std::int64_t partition, std::int64_t byte) {
  return {Partition(partition), ByteOffset(byte)};
}

/// Tensors that are all written, and then all read: each lives throughout.
class Crowd {
 public:
  TensorId Add(Space space, std::int64_t partitions, std::int64_t bytes, std::vector<Address> at) {
    TensorOptions options;
    if (at.size() > 1) options.blocks = {static_cast<std::int64_t>(at.size())};
    options.at = std::move(at);
    const std::string name = "t" + std::to_string(ids_.size());
    ids_.push_back(space == Space::kSbuf
                       ? b_.Sbuf(name, DType::kUint8, {partitions, bytes}, options)
                       : b_.Psum(name, DType::kUint8, {partitions, bytes}, options));
    has_blocks_.push_back(!options.blocks.empty());
    return ids_.back();
  }
  TensorId Sbuf(std::int64_t partitions, std::int64_t bytes, std::vector<Address> at) {
    return Add(Space::kSbuf, partitions, bytes, std::move(at));
  }

  Kernel Build() {
    for (std::size_t i = 0; i < ids_.size(); ++i) b_.Instruction("memset").Out("dst", Whole(i));
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      b_.Instruction("tensor_reduce").Out("dst", Whole(i)).In("data", Whole(i));
    }
    return b_.Build();
  }
  std::optional<FreePlace> PlaceFor(TensorId tensor) {
    const LinearKernel linear = Linearize(Build());
    const FreePlaceSearch search =
        FindFreePlace(linear, FixedPlacement(linear.kernel), Trn2(), tensor);
    EXPECT_TRUE(search.complete);
    return search.place;
  }

 private:
  OperandBuilder Whole(std::size_t i) {
    return has_blocks_[i] ? b_.Whole(ids_[i]).Block({0}) : b_.Whole(ids_[i]);
  }

  KernelBuilder b_{"crowd", "trn2"};
  std::vector<TensorId> ids_;
  std::vector<bool> has_blocks_;
};

TEST(FindFreePlace, IsTheLowestGapThatIsWideEnough) {
  //   0         64   96        160   200
  //   | t0      | gap | t1     | gap  | t2 …      t3 wants 40 bytes
  Crowd crowd;
  crowd.Sbuf(128, 64, {At(0, 0)});
  crowd.Sbuf(128, 64, {At(0, 96)});
  crowd.Sbuf(128, kWindow - 200, {At(0, 200)});
  const TensorId wide = crowd.Sbuf(128, 40, {At(0, 0)});
  const std::optional<FreePlace> place = crowd.PlaceFor(wide);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->at, At(0, 160));
  EXPECT_EQ(place->bytes, (Interval<ByteOffset>{ByteOffset(160), ByteOffset(200)}));
}

TEST(FindFreePlace, EndsWithTheWindow) {
  for (const std::int64_t bytes : {40, 41}) {
    Crowd crowd;
    crowd.Sbuf(128, kWindow - 40, {At(0, 0)});
    EXPECT_EQ(crowd.PlaceFor(crowd.Sbuf(128, bytes, {At(0, 0)})).has_value(), bytes == 40);
  }
}

TEST(FindFreePlace, StaysOnItsPartitionsBesideThoseOfOthers) {
  Crowd crowd;
  crowd.Sbuf(32, 64, {At(0, 0)});
  crowd.Sbuf(32, 32, {At(64, 0)});
  const TensorId low = crowd.Sbuf(32, 16, {At(64, 8)});
  EXPECT_EQ(crowd.PlaceFor(low)->at, At(64, 32));
}

TEST(FindFreePlace, MovesAllBlocksTogether) {
  //   32 free bytes, then an island of 8: both tiles of 16, 24 bytes apart, must miss it
  Crowd crowd;
  crowd.Sbuf(128, 8, {At(0, 32)});
  const TensorId ring = crowd.Sbuf(128, 16, {At(0, 8), At(0, 32)});
  const std::optional<FreePlace> place = crowd.PlaceFor(ring);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->at, At(0, 40));
  EXPECT_EQ(place->bytes.end, ByteOffset(80));
}

TEST(FindFreePlace, SharesBytesWithWhatIsNotAliveThen) {
  KernelBuilder b("turns", "trn2");
  const TensorId early = b.Sbuf("early", DType::kUint8, {128, 64}, {.at = {At(0, 0)}});
  const TensorId late = b.Sbuf("late", DType::kUint8, {128, 64}, {.at = {At(0, 512)}});
  for (const TensorId id : {early, late}) {
    b.Instruction("memset").Out("dst", b.Whole(id));
    b.Instruction("tensor_reduce").In("data", b.Whole(id));
  }
  const LinearKernel linear = Linearize(b.Build());
  EXPECT_EQ(FindFreePlace(linear, FixedPlacement(linear.kernel), Trn2(), late).place->at, At(0, 0));
}

TEST(FindFreePlace, StartsAtWholeElements) {
  KernelBuilder b("elements", "trn2");
  const TensorId odd = b.Sbuf("odd", DType::kUint8, {128, 5}, {.at = {At(0, 0)}});
  const TensorId wide = b.Sbuf("wide", DType::kFloat32, {128, 2}, {.at = {At(0, 0)}});
  for (const TensorId id : {odd, wide}) b.Instruction("memset").Out("dst", b.Whole(id));
  for (const TensorId id : {odd, wide}) b.Instruction("tensor_reduce").In("data", b.Whole(id));
  const LinearKernel linear = Linearize(b.Build());
  EXPECT_EQ(FindFreePlace(linear, FixedPlacement(linear.kernel), Trn2(), wide).place->at, At(0, 8));
}

TEST(FindFreePlace, KeepsATilesDistanceToTheStartOfItsPsumBank) {
  Crowd crowd;
  crowd.Add(Space::kPsum, 128, 2048, {At(0, 0)});
  crowd.Add(Space::kPsum, 128, 300, {At(0, 2048)});
  const TensorId tile = crowd.Add(Space::kPsum, 128, 256, {At(0, 256)});
  EXPECT_EQ(crowd.PlaceFor(tile)->at, At(0, 4096 + 256));
}

/// Loads k and v in each iteration, stores both; v lies on a tile of k. `rest` bytes of the window
/// from byte `from` on are taken throughout.
std::string TextOf(std::int64_t tiles_of_k, std::int64_t base_of_v, std::int64_t from) {
  RingKernel kernel(6);
  KernelBuilder& b = kernel.builder();
  const TensorId k = kernel.Ring("k", {4}, {tiles_of_k});
  const TensorId v = kernel.Ring("v", {4}, {1}, base_of_v);
  const TensorId rest =
      b.Sbuf("rest", DType::kUint8, {kRows, kWindow - from}, {.at = {At(0, from)}});
  b.Instruction("memset").Out("dst", b.Whole(rest));
  const AffineExpr i = kernel.Open("i", 4);
  kernel.Load(k, {i}, i);
  kernel.Load(v, {i}, i);
  kernel.Store(v, {i}, i);
  kernel.Store(k, {i}, i);
  kernel.Close();
  b.Instruction("tensor_reduce").In("data", b.Whole(rest));
  const Kernel built = kernel.Build();
  const TileLifetimeReport report = ReportTileLifetimes(built, FixedPlacement(built), Trn2());
  EXPECT_EQ(report.findings.size(), 1u);
  return report.check.violations.front().text;
}

TEST(WayOut, FewerTilesWouldDoWhereNothingElseIsFree) {
  EXPECT_THAT(TextOf(2, kTileBytes, 2 * kTileBytes),
              HasSubstr(". 1 tile of k would do: num_free_tiles=(1,), sbuf bytes [0, 32)"));
}

TEST(WayOut, ThatNothingIsFreeIsSaid) {
  EXPECT_THAT(TextOf(1, 0, kTileBytes),
              AllOf(HasSubstr("Nothing in the window of 212984 bytes of sbuf is free for "),
                    AnyOf(HasSubstr("for k or for v as long as they live"),
                          HasSubstr("for v or for k as long as they live"))));
}

TEST(WayOut, OfPsumTilesIsABank) {
  Crowd crowd;
  crowd.Add(Space::kPsum, 128, 1024, {At(0, 0)});
  crowd.Add(Space::kPsum, 128, 512, {At(0, 0)});
  const Kernel kernel = crowd.Build();
  const TileLifetimeReport report = ReportTileLifetimes(kernel, FixedPlacement(kernel), Trn2());
  ASSERT_FALSE(report.findings.empty());
  EXPECT_THAT(report.check.violations.front().text,
              HasSubstr("t1 would fit at partition 0, byte 2048 (bank 1): bytes [2048, 2560) of "
                        "psum are free as long as it lives"));
}

}  // namespace
}  // namespace spillway::nki
