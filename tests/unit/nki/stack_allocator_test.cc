// The stack allocator: scopes that follow loops, and what every judge says of it.
#include "model/alloc/nki/stack_allocator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/check/same_program.h"
#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/scope_sites.h"
#include "properties/judge.h"
#include "properties/kernel_features.h"
#include "properties/rapidcheck_kernels.h"
#include "tests/property/run_property.h"

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}
const Hwm& Oracle() {
  static const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  return *hwm;
}

Result<Allocation> Place(const Kernel& kernel, std::optional<Bytes> sbuf_bytes = {},
                         bool reallocate = false, std::optional<BankCount> banks = {}) {
  return MakeStackAllocator()->Allocate(
      kernel, Trn2(), Oracle(),
      {.sbuf_bytes = sbuf_bytes, .psum_banks = banks, .reallocate = reallocate, .progress = {}});
}

// The places of all blocks of the tensors of the kernel by name.
std::vector<std::int64_t> BytesOf(const Kernel& kernel, const Allocation& allocation,
                                  const std::vector<std::string>& names) {
  std::vector<std::int64_t> bytes;
  for (const std::string& name : names) {
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      if (kernel.tensors[TensorId(t)].name != name) continue;
      for (const Address& address : allocation.placement.addresses[TensorId(t)])
        bytes.push_back(address.byte.value);
    }
  }
  return bytes;
}

// Tiles of 64 bytes; x and y in DRAM.
class Tiles {
 public:
  Tiles() {
    x_ = b.Dram("x", DType::kFloat32, {128, 16}, Role::kInput);
    y_ = b.Dram("y", DType::kFloat32, {128, 16}, Role::kOutput);
  }
  TensorId Tile(const std::string& name, TensorOptions options = {}) {
    return b.Sbuf(name, DType::kFloat32, {128, 16}, std::move(options));
  }
  void Load(TensorId tile) { b.Copy(b.Whole(tile), b.Whole(x_)); }
  void Store(TensorId tile) { b.Copy(b.Whole(y_), b.Whole(tile)); }
  void Copy(TensorId to, TensorId from) { b.Copy(b.Whole(to), b.Whole(from)); }

  KernelBuilder b{"k", "trn2"};

 private:
  TensorId x_;
  TensorId y_;
};

//  bytes 0     64    128    192
//  k     | a   |
//    i   | a   | t   | u   |
//      j | a   | t   | u   | v  |
//  k     | a   | d   |                after the loop its bytes are free
TEST(StackAllocator, ScopesFollowTheLoops) {
  Tiles tiles;
  KernelBuilder& b = tiles.b;
  const TensorId a = tiles.Tile("a");
  const TensorId t = tiles.Tile("t");
  const TensorId u = tiles.Tile("u");
  const TensorId v = tiles.Tile("v");
  const TensorId w = tiles.Tile("w");
  const TensorId d = tiles.Tile("d");
  tiles.Load(a);
  b.OpenLoop("i", 0, 4);
  tiles.Load(t);
  tiles.Copy(u, t);
  b.OpenLoop("j", 0, 3);
  tiles.Copy(v, u);
  tiles.Store(v);
  b.CloseLoop();
  tiles.Copy(w, u);
  tiles.Store(w);
  b.CloseLoop();
  tiles.Load(d);
  tiles.Store(d);
  tiles.Store(a);
  const Kernel kernel = b.Build();
  const auto placed = Place(kernel);
  ASSERT_TRUE(placed.has_value()) << placed.error().ToString();
  EXPECT_THAT(BytesOf(kernel, *placed, {"a", "t", "u", "v", "w", "d"}),
              ElementsAre(0, 64, 128, 192, 192, 64));
  EXPECT_EQ(placed->sbuf.high_water_bytes, Bytes(256));
}

// What crosses iterations, or is used after the loop that defines it, lies around the loop.
TEST(StackAllocator, WhatOutlivesALoopLiesInTheScopeAroundIt) {
  Tiles tiles;
  KernelBuilder& b = tiles.b;
  const TensorId carried = tiles.Tile("carried");
  const TensorId t = tiles.Tile("t");
  const TensorId after = tiles.Tile("after");
  b.OpenLoop("i", 0, 4);
  tiles.Load(t);
  tiles.Store(carried);
  tiles.Copy(carried, t);
  tiles.Copy(after, t);
  b.CloseLoop();
  tiles.Store(after);
  const Kernel kernel = b.Build();
  const auto placed = Place(kernel);
  ASSERT_TRUE(placed.has_value()) << placed.error().ToString();
  EXPECT_THAT(BytesOf(kernel, *placed, {"carried", "after", "t"}), ElementsAre(0, 64, 128));
}

TEST(ScopeSites, ALifeThatStartsInALoopAndEndsBehindItIsTakenBeforeTheLoop) {
  Tiles tiles;
  const TensorId t = tiles.Tile("t");
  tiles.b.OpenLoop("i", 0, 2);
  tiles.b.OpenLoop("j", 0, 2);
  tiles.Load(t);
  tiles.Store(t);
  tiles.b.CloseLoop();
  tiles.b.CloseLoop();
  tiles.Store(t);
  const LinearKernel linear = Linearize(tiles.b.Build());
  //  0 i, 1 j, 2 load, 3 store, 4 end j, 5 end i, 6 store
  const auto site = [&](int begin, int end) {
    return ScopeSiteOf(linear, {PointId(begin), PointId(end)});
  };
  EXPECT_EQ(site(2, 4), (ScopeSite{LoopId(1), PointId(2)}));
  EXPECT_EQ(site(3, 4), (ScopeSite{LoopId(1), PointId(3)}));
  EXPECT_EQ(site(2, 5), (ScopeSite{LoopId(0), PointId(1)})) << "the end of j is in it";
  EXPECT_EQ(site(1, 5), (ScopeSite{LoopId(0), PointId(1)}));
  EXPECT_EQ(site(3, 7), (ScopeSite{std::nullopt, PointId(0)}));
  EXPECT_EQ(site(0, 6), (ScopeSite{std::nullopt, PointId(0)}));
  EXPECT_EQ(site(6, 7), (ScopeSite{std::nullopt, PointId(6)}));
}

//  bytes 0    64   100     164 168   232
//        | a  |    | fixed |   | c  |      dead lies where a does, before a lives
TEST(StackAllocator, KeepsTheAuthorsPlacesAndGoesAboveThoseThatLiveWithATile) {
  Tiles tiles;
  KernelBuilder& b = tiles.b;
  const TensorId fixed = tiles.Tile("fixed", {.at = {{Partition(0), ByteOffset(100)}}});
  const TensorId dead = tiles.Tile("dead", {.at = {{Partition(0), ByteOffset(0)}}});
  const TensorId a = tiles.Tile("a");
  const TensorId c = tiles.Tile("c");
  tiles.Load(dead);
  tiles.Store(dead);
  tiles.Load(fixed);
  tiles.Load(a);
  tiles.Load(c);
  tiles.Store(a);
  tiles.Store(c);
  tiles.Store(fixed);
  const Kernel kernel = b.Build();
  const auto placed = Place(kernel);
  ASSERT_TRUE(placed.has_value()) << placed.error().ToString();
  EXPECT_THAT(BytesOf(kernel, *placed, {"fixed", "dead", "a", "c"}), ElementsAre(100, 0, 0, 168))
      << "a fits below fixed; c would end at 128 and starts on the granule behind 164";
  const auto again = Place(kernel, {}, /*reallocate=*/true);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(BytesOf(kernel, *again, {"dead", "fixed", "a", "c"}), ElementsAre(0, 64, 128, 192));
}

TEST(StackAllocator, RefusesAnAuthorsAddressPastTheMemoryThatItMayUse) {
  Tiles tiles;
  const TensorId fixed = tiles.Tile("fixed", {.at = {{Partition(0), ByteOffset(100)}}});
  tiles.Load(fixed);
  tiles.Store(fixed);
  const Kernel kernel = tiles.b.Build();
  EXPECT_TRUE(Place(kernel, Bytes(164)).has_value());
  const auto refused = Place(kernel, Bytes(163));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "stack-allocator-fixed");
  EXPECT_THAT(
      refused.error().message,
      HasSubstr("fixed lies at bytes [100, 164) by its author's address, past the 163 bytes"));
}

TEST(StackAllocator, GoesBesideWhatTheAuthorPutIntoOtherPartitions) {
  Tiles tiles;
  const TensorId fixed =
      tiles.b.Sbuf("fixed", DType::kFloat32, {32, 16}, {.at = {{Partition(96), ByteOffset(0)}}});
  const TensorId a = tiles.b.Sbuf("a", DType::kFloat32, {64, 16});
  tiles.b.Instruction("memset").Out("dst", tiles.b.Whole(fixed)).Attr("value", 0);
  tiles.b.Instruction("memset").Out("dst", tiles.b.Whole(a)).Attr("value", 0);
  tiles.b.Instruction("tensor_copy")
      .Out("dst", tiles.b.Whole(fixed))
      .In("src", tiles.b.Whole(fixed));
  const Kernel kernel = tiles.b.Build();
  EXPECT_THAT(BytesOf(kernel, *Place(kernel), {"a"}), ElementsAre(0));
}

TEST(StackAllocator, EveryBlockIsATileAndPsumTilesTakeWholeBanks) {
  KernelBuilder b("k", "trn2");
  const TensorId ring = b.Sbuf("ring", DType::kBfloat16, {128, 5}, {.blocks = {3}});
  const TensorId small = b.Psum("small", DType::kFloat32, {128, 8});
  const TensorId large = b.Psum("large", DType::kFloat32, {128, 513});
  for (const int block : {0, 1, 2})
    b.Instruction("memset").Out("dst", b.Whole(ring).Block({block})).Attr("value", 0);
  b.Instruction("memset").Out("dst", b.Whole(small)).Attr("value", 0);
  b.Instruction("memset").Out("dst", b.Whole(large)).Attr("value", 0);
  const Kernel kernel = b.Build();
  const auto placed = Place(kernel);
  ASSERT_TRUE(placed.has_value()) << placed.error().ToString();
  EXPECT_THAT(BytesOf(kernel, *placed, {"ring", "small", "large"}),
              ElementsAre(0, 16, 32, 0, 2048));
  const auto refused = Place(kernel, {}, false, BankCount(2));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("block 0 of large"), HasSubstr("psum"),
                                             HasSubstr("the banks from 1 on are of 2 in all")));
}

TEST(StackAllocator, RefusesInsteadOfSpillingAndNamesScopeAndHolders) {
  Tiles tiles;
  const TensorId a = tiles.Tile("a");
  const TensorId t = tiles.Tile("t");
  tiles.Load(a);
  tiles.b.OpenLoop("i", 0, 4);
  tiles.Load(t);
  tiles.Store(t);
  tiles.b.CloseLoop();
  tiles.Store(a);
  const Kernel kernel = tiles.b.Build();
  EXPECT_TRUE(Place(kernel, Bytes(128)).has_value());
  const auto refused = Place(kernel, Bytes(127));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, Kind::kCapacity);
  EXPECT_EQ(refused.error().code, "stack-allocator-capacity");
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("block 0 of t (128 partitions x 64 bytes) in the scope of loop i has "
                              "no place from byte 64 on in the 127 bytes of sbuf"),
                    HasSubstr("largest holders: stack 'a' 64 B @ 0"), HasSubstr("'coloring'")));
}

std::string ObjectionsTo(const Kernel& kernel, const Allocation& allocation, Bytes capacity,
                         bool (*is_asked)(JudgeId) = IsStatic) {
  std::string text;
  JudgedCase judged({&kernel, &allocation.kernel, &allocation.placement, &Trn2(), capacity, {}});
  for (const JudgeId judge : AllJudges()) {
    if (!is_asked(judge)) continue;
    for (const Finding& finding : judged.Ask(judge))
      text += fmt::format("{}: {}\n", JudgeName(judge), finding.text);
  }
  for (const Violation& violation : CheckSameProgram(kernel, allocation.kernel).violations)
    text += violation.text + "\n";
  return text;
}

bool HasSharedBytes(const Allocation& allocation) {
  return allocation.sbuf.high_water_bytes < [&] {
    Bytes sum;
    for (const Tensor& tensor : allocation.kernel.tensors) {
      if (tensor.space == Space::kSbuf) sum += BlockBytes(tensor) * BlockCount(tensor);
    }
    return sum;
  }();
}

TEST(StackAllocator, TheMachineAgreesWithTheStaticJudges) {
  int accepted = 0;
  int shared = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Kernel kernel = DecodeKernel(ChoiceBytesFromSeed(seed, 15 + seed % 30));
    const auto placed = Place(kernel);
    if (!placed) {
      EXPECT_EQ(placed.error().kind, Kind::kCapacity) << placed.error().ToString();
      continue;
    }
    ++accepted;
    shared += HasSharedBytes(*placed) ? 1 : 0;
    EXPECT_EQ(ObjectionsTo(kernel, *placed, Trn2().sbuf_usable_bytes, [](JudgeId) { return true; }),
              "")
        << "seed " << seed;
  }
  EXPECT_GE(accepted, 30);
  EXPECT_GE(shared, 3);
}

// In all of the memory, in exactly what that took, and in a few bytes less.
TEST(StackAllocatorProperty, EveryStaticJudgeAgreesOrItRefuses) {
  Shares shares;
  CheckProperty("stack allocator", 300, [&](const KernelCase& c, bool with_fixed) {
    const Kernel kernel = c.Decode({.fixed_tensors = with_fixed});
    const auto roomy = Place(kernel);
    shares.Case();
    shares.Count("accepted", roomy.has_value());
    shares.Count("loops", FeaturesOf(kernel).loops);
    if (!roomy) {
      RC_ASSERT(roomy.error().kind == Kind::kCapacity);
      return;
    }
    RC_ASSERT(ObjectionsTo(kernel, *roomy, Trn2().sbuf_usable_bytes) == "");
    const Bytes needed = roomy->sbuf.high_water_bytes;
    const auto exact = Place(kernel, needed);
    RC_ASSERT(exact.has_value());
    RC_ASSERT(exact->placement == roomy->placement);
    const Bytes fewer = needed - Bytes(1 + c.tightness % 64);
    bool refused = false;
    if (fewer > Bytes(0)) {
      const auto tight = Place(kernel, fewer);
      refused = !tight;
      if (tight) RC_ASSERT(ObjectionsTo(kernel, *tight, fewer) == "");
      if (!tight) RC_ASSERT(tight.error().kind == Kind::kCapacity);
    }
    bool fixed = false;
    for (const Tensor& tensor : kernel.tensors)
      fixed = fixed || (!tensor.at.empty() && tensor.space == Space::kSbuf);
    shares.Count("fixed", fixed);
    shares.Count("refused when tight", refused);
    shares.Count("shared bytes", HasSharedBytes(*roomy));
  });
  shares.AtLeast("accepted", 90);
  shares.AtLeast("loops", 60);
  shares.AtLeast("fixed", 15);
  shares.AtLeast("refused when tight", 60);
  shares.AtLeast("shared bytes", 8);
}

}  // namespace
}  // namespace spillway::nki
