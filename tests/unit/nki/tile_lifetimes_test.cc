#include "model/alloc/nki/check_tile_lifetimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "tests/unit/nki/rings.h"

namespace spillway::nki {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Iteration = std::vector<std::pair<std::string, std::int64_t>>;

TileLifetimeReport ReportOf(const Kernel& kernel) {
  return ReportTileLifetimes(kernel, FixedPlacement(kernel), Trn2());
}

std::string Texts(const TileLifetimeReport& report) {
  std::string texts;
  for (const Violation& violation : report.check.violations) texts += violation.text + "\n";
  return texts;
}

TEST(TileLifetimesTest, FillingAllTilesBeforeReadingAnyNeedsATileABlock) {
  const TileLifetimeReport report = ReportOf(FillThenRead(4, 2));
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  const TileFinding& found = report.findings.front();
  EXPECT_EQ(found.fault.kind, TileFaultKind::kTooFewTiles);
  EXPECT_EQ(found.fault.read.block, 0);
  EXPECT_EQ(found.fault.clobber->block, 2);
  EXPECT_EQ(found.fault.clobber->iteration, (Iteration{{"i", 2}}));
  EXPECT_EQ(found.fault.read.iteration, (Iteration{{"j", 0}}));
  EXPECT_EQ(found.fault.written->iteration, (Iteration{{"i", 0}}));
  EXPECT_EQ(found.fault.where.bytes, (Interval<ByteOffset>{ByteOffset(0), ByteOffset(kTileBytes)}));
  EXPECT_EQ(found.fault.count, 2);
  EXPECT_EQ(found.tiles_there, 2);
  ASSERT_TRUE(found.enough);
  EXPECT_EQ(found.enough->counts.tiles, 4);
  EXPECT_TRUE(found.enough->fits());
  EXPECT_EQ(
      report.check.violations.front().text,
      "k[0] is overwritten before its last read: dma_copy (kernel.py:3) at i=2 puts k[2] on bytes "
      "[0, 32) of partitions [0, 128) of sbuf, and dma_copy (kernel.py:7) at j=0 then reads k[0], "
      "written by dma_copy (kernel.py:3) at i=0. k has 2 tiles for 4 blocks; 4 would do: "
      "num_free_tiles=(4,), sbuf bytes [0, 128). 1 more such read");
}

TEST(TileLifetimesTest, ABlockThatIsReadSkewIterationsLaterNeedsATileMoreThanTheSkew) {
  for (std::int64_t skew = 0; skew <= 3; ++skew) {
    for (std::int64_t tiles = 1; tiles <= 5; ++tiles) {
      const TileLifetimeReport report = ReportOf(Pipeline(9, skew, tiles));
      EXPECT_EQ(report.findings.empty(), tiles > skew) << skew << " " << tiles << Texts(report);
      if (report.findings.empty()) continue;
      ASSERT_TRUE(report.findings.front().enough);
      EXPECT_EQ(report.findings.front().enough->counts.tiles, skew + 1);
    }
  }
}

TEST(TileLifetimesTest, OnlyTheLastIterationMayBeWrong) {
  RingKernel kernel(5);
  const TensorId k = kernel.Ring("k", {5}, {4});
  const AffineExpr i = kernel.Open("i", 5);
  kernel.Load(k, {i}, i);
  kernel.Close();
  kernel.Store(k, {0}, 0);
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings.front().fault.clobber->iteration, (Iteration{{"i", 4}}));
  EXPECT_EQ(report.findings.front().enough->counts.tiles, 5);
}

TEST(TileLifetimesTest, TheCountsOfEachDimensionAreFoundApart) {
  // All columns of a row are alive together, and one row at a time.
  RingKernel kernel(6);
  const TensorId k = kernel.Ring("k", {2, 3}, {1, 2});
  const AffineExpr i = kernel.Open("i", 2);
  const AffineExpr j = kernel.Open("j", 3);
  kernel.Load(k, {i, j}, i * 3 + j);
  kernel.Close();
  const AffineExpr m = kernel.Open("m", 3);
  kernel.Store(k, {i, m}, i * 3 + m);
  kernel.Close();
  kernel.Close();
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  EXPECT_THAT(report.findings.front().enough->counts.counts, ElementsAre(1, 3));
  EXPECT_THAT(Texts(report), HasSubstr("k[0, 0] is overwritten before its last read"));
  EXPECT_THAT(Texts(report), HasSubstr("at i=0, j=2 puts k[0, 2]"));
  EXPECT_THAT(Texts(report), HasSubstr("num_free_tiles=(1, 3)"));
}

TEST(TileLifetimesTest, ARingThatCannotGrowInItsMemorySaysSo) {
  const std::int64_t base = Trn2().sbuf_usable_bytes.value.value - 2 * kTileBytes;
  const TileLifetimeReport report = ReportOf(FillThenRead(4, 2, base));
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings.front().enough->counts.tiles, 4);
  EXPECT_FALSE(report.findings.front().enough->fits());
  EXPECT_THAT(Texts(report), HasSubstr("doesn't fit: the memory ends at byte 212984"));
}

TEST(TileLifetimesTest, ALargerRingNamesWhoHasToMoveForIt) {
  RingKernel kernel(4);
  const TensorId k = kernel.Ring("k", {2}, {1});
  const TensorId v = kernel.Ring("v", {}, {}, kTileBytes);
  kernel.Load(v, {}, 3);
  const AffineExpr i = kernel.Open("i", 2);
  kernel.Load(k, {i}, i);
  kernel.Close();
  const AffineExpr j = kernel.Open("j", 2);
  kernel.Store(k, {j}, j);
  kernel.Close();
  kernel.Store(v, {}, 3);
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  EXPECT_THAT(report.findings.front().enough->in_the_way, ElementsAre("v"));
  EXPECT_THAT(Texts(report), HasSubstr("2 would do: num_free_tiles=(2,), sbuf bytes [0, 64), once "
                                       "v made room"));
}

TEST(TileLifetimesTest, TensorsOnTheSameBytesAreNamedWithTheirIterations) {
  // v lies on the second tile of k, and is loaded in every iteration.
  RingKernel kernel(6);
  const TensorId k = kernel.Ring("k", {4}, {2});
  const TensorId v = kernel.Ring("v", {4}, {1}, kTileBytes);
  const AffineExpr i = kernel.Open("i", 4);
  kernel.Load(k, {i}, i);
  kernel.Load(v, {i}, i);
  kernel.Store(v, {i}, i);
  kernel.Store(k, {i}, i);
  kernel.Close();
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  const TileFault& fault = report.findings.front().fault;
  EXPECT_EQ(fault.kind, TileFaultKind::kOverlap);
  EXPECT_EQ(fault.read.block, 1);
  EXPECT_EQ(fault.clobber->tensor, v);
  EXPECT_EQ(fault.clobber->iteration, (Iteration{{"i", 1}}));
  EXPECT_EQ(fault.count, 2);
  EXPECT_THAT(report.check.violations.front().tensors, ElementsAre("k", "v"));
  EXPECT_EQ(report.check.violations.front().kind, Kind::kOverlap);
  EXPECT_THAT(Texts(report), HasSubstr(". v would fit at partition 0, byte 64: bytes [64, 96) of "
                                       "sbuf are free as long as it lives. 1 more such read"));
}

TEST(TileLifetimesTest, TensorsThatTakeTurnsOnTheSameBytesAreRight) {
  RingKernel kernel(4);
  const TensorId k = kernel.Ring("k", {4}, {2});
  const TensorId v = kernel.Ring("v", {4}, {2});
  const AffineExpr i = kernel.Open("i", 4);
  kernel.Load(k, {i}, i);
  kernel.Store(k, {i}, i);
  kernel.Load(v, {i}, i);
  kernel.Store(v, {i}, i);
  kernel.Close();
  EXPECT_EQ(Texts(ReportOf(kernel.Build())), "");
}

TEST(TileLifetimesTest, TheUnloadedHalfOfADoubleBufferIsNamedWithWhatIsReadInstead) {
  // Three tiles are loaded, four are stored.
  RingKernel kernel(4);
  const TensorId k = kernel.Ring("k", {4}, {2});
  const AffineExpr i = kernel.Open("i", 4);
  kernel.Load(k, {i}, i).When(LessThan(i, 3)).Source("kernel.py:5");
  kernel.Store(k, {i}, i);
  kernel.Close();
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  const TileFault& fault = report.findings.front().fault;
  EXPECT_EQ(fault.kind, TileFaultKind::kUnloaded);
  EXPECT_EQ(fault.read.block, 3);
  EXPECT_EQ(fault.clobber->block, 1);
  EXPECT_FALSE(fault.too_late);
  EXPECT_EQ(report.check.violations.front().kind, Kind::kUninitializedRead);
  EXPECT_EQ(Texts(report),
            "dma_copy at i=3 reads k[3] at bytes [32, 64) of partitions [0, 128) of sbuf before "
            "anything filled it: it gets what dma_copy (kernel.py:5) at i=1 wrote for k[1]. No "
            "iteration fills them; dma_copy (kernel.py:5), which writes k, would have to\n");
}

TEST(TileLifetimesTest, AReadBeforeItsOwnLoadNamesTheLoadThatComesTooLate) {
  RingKernel kernel(4);
  const TensorId k = kernel.Ring("k", {4}, {4});
  const AffineExpr i = kernel.Open("i", 4);
  kernel.Store(k, {i}, i);
  kernel.Load(k, {i}, i);
  kernel.Close();
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  ASSERT_TRUE(report.findings.front().fault.too_late);
  EXPECT_EQ(report.findings.front().fault.too_late->iteration, (Iteration{{"i", 0}}));
  EXPECT_EQ(report.findings.front().fault.count, 4);
  EXPECT_THAT(Texts(report), HasSubstr("The first write of these bytes comes later, by dma_copy"));
}

TEST(TileLifetimesTest, BytesOfATileThatNoPartialWriteReachedAreUnloaded) {
  RingKernel kernel(1);
  KernelBuilder& b = kernel.builder();
  const TensorId k = kernel.Ring("k", {}, {});
  const TensorId other = kernel.Ring("other", {}, {}, 64);
  b.Instruction("memset").Out("dst", b.Whole(k).Elements(0, kRow / 2)).On(Engine::kDve);
  b.Copy(b.Whole(other), b.Whole(k));
  kernel.Store(other, {}, 0);
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  EXPECT_EQ(report.findings.front().fault.where.bytes,
            (Interval<ByteOffset>{ByteOffset(kTileBytes / 2), ByteOffset(kTileBytes)}));
}

TEST(TileLifetimesTest, AnInstructionMayNotWriteATileOnTopOfAnotherThatItReads) {
  RingKernel kernel(3);
  KernelBuilder& b = kernel.builder();
  const TensorId k = kernel.Ring("k", {3}, {1});
  kernel.Load(k, {0}, 0);
  const AffineExpr i = kernel.Open("i", 2);
  b.Copy(b.Whole(k).Block({i + 1}), b.Whole(k).Block({i}));
  kernel.Close();
  kernel.Store(k, {2}, 0);
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  EXPECT_EQ(report.findings.front().enough->counts.tiles, 2);
  EXPECT_THAT(Texts(report), HasSubstr("reads k[0] and writes k[1] on the same bytes"));
}

TEST(TileLifetimesTest, BanksOfPsumAreTilesToo) {
  KernelBuilder b("banks", "trn2");
  const TensorId y = b.Dram("y", DType::kFloat32, {4 * kRows, kRow}, Role::kOutput);
  TensorOptions options;
  options.blocks = {4};
  options.alloc.emplace();
  options.alloc->base_bank = BankId(6);
  options.alloc->num_bank_tiles = {2};
  const TensorId p = b.Psum("p", DType::kFloat32, {kRows, kRow}, options);
  const TensorId s =
      b.Sbuf("s", DType::kFloat32, {kRows, kRow}, {.at = {{Partition(0), ByteOffset(0)}}});
  b.OpenLoop("i", 0, 4);
  b.Instruction("memset").Out("dst", b.Whole(p).Block({b.Index("i")})).On(Engine::kDve);
  b.CloseLoop();
  b.OpenLoop("j", 0, 4);
  b.Copy(b.Whole(s), b.Whole(p).Block({b.Index("j")}));
  b.Copy(b.Whole(y).Tile(b.Index("j") * kRows, kRows, 0, kRow), b.Whole(s));
  b.CloseLoop();
  const TileLifetimeReport report = ReportOf(b.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  EXPECT_EQ(report.findings.front().enough->counts.tiles, 4);
  EXPECT_FALSE(report.findings.front().enough->fits());
  EXPECT_THAT(Texts(report), HasSubstr("num_bank_tiles=(4,)"));
}

TEST(TileLifetimesTest, ListsOfCountsThatDoNotGrowKeepBlocksApartAsBefore) {
  // Two tiles of 32 partitions side by side: with three of them behind each other, six are apart.
  RingKernel kernel(4);
  KernelBuilder& b = kernel.builder();
  TensorOptions options;
  options.blocks = {4};
  options.alloc.emplace();
  options.alloc->num_par_tiles = {2};
  const TensorId k = b.Sbuf("k", DType::kBfloat16, {32, kRow}, options);
  const TensorId s =
      b.Sbuf("s", DType::kBfloat16, {32, kRow}, {.at = {{Partition(0), ByteOffset(1024)}}});
  b.OpenLoop("i", 0, 4);
  b.Instruction("memset").Out("dst", b.Whole(k).Block({b.Index("i")})).On(Engine::kDve);
  b.CloseLoop();
  b.OpenLoop("j", 0, 4);
  b.Copy(b.Whole(s), b.Whole(k).Block({b.Index("j")}));
  b.CloseLoop();
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  EXPECT_EQ(report.findings.front().tiles_there, 2);
  EXPECT_THAT(report.findings.front().enough->counts.counts, ElementsAre(3));
  EXPECT_THAT(report.findings.front().enough->law.num_par_tiles, ElementsAre(2));
}

TEST(TileLifetimesTest, AddressesWithoutALawGetOneFromTheirFirstBlockOn) {
  RingKernel kernel(3);
  KernelBuilder& b = kernel.builder();
  const Address only{Partition(0), ByteOffset(640)};
  const TensorId k =
      b.Sbuf("k", DType::kBfloat16, {kRows, kRow}, {.blocks = {3}, .at = {only, only, only}});
  const AffineExpr i = kernel.Open("i", 3);
  kernel.Load(k, {i}, i);
  kernel.Close();
  const AffineExpr j = kernel.Open("j", 3);
  kernel.Store(k, {j}, j);
  kernel.Close();
  const TileLifetimeReport report = ReportOf(kernel.Build());
  ASSERT_THAT(report.findings, SizeIs(1)) << Texts(report);
  EXPECT_THAT(Texts(report), HasSubstr("k has 1 tile for 3 blocks; 3 would do: "
                                       "num_free_tiles=(3,), sbuf bytes [640, 736). 1 more"));
}

TEST(TileLifetimesTest, ARingThatIsFilledAgainInAnOuterLoopIsRight) {
  RingKernel kernel(8);
  const TensorId k = kernel.Ring("k", {4}, {2});
  const AffineExpr o = kernel.Open("o", 2);
  const AffineExpr i = kernel.Open("i", 4);
  kernel.Load(k, {i}, o * 4 + i);
  kernel.Store(k, {i - 1}, o * 4 + i - 1).When(AtLeast(i, 1));
  kernel.Store(k, {i}, o * 4 + i).When(Equals(i, 3));
  kernel.Close();
  kernel.Close();
  EXPECT_EQ(Texts(ReportOf(kernel.Build())), "");
}

TEST(TileLifetimesTest, AWalkThatReachesItsLimitSaysSo) {
  const Kernel kernel = Pipeline(50, 0, 2);
  const TileLifetimeReport report = ReportTileLifetimes(kernel, FixedPlacement(kernel), Trn2(), 10);
  EXPECT_FALSE(report.complete);
  EXPECT_THAT(report.check.violations, IsEmpty());
  ASSERT_THAT(report.notes, SizeIs(1));
  EXPECT_THAT(report.notes.front(), HasSubstr("inconclusive: it looked at the first 10 steps"));
  const LinearKernel linear = Linearize(kernel);
  const CheckResult check = CheckTileLifetimes(linear, FixedPlacement(kernel), Trn2(), 10);
  ASSERT_THAT(check.violations, SizeIs(1));
  EXPECT_EQ(check.violations.front().kind, Kind::kLimit);
  EXPECT_THAT(CheckTileLifetimes(linear, FixedPlacement(kernel), Trn2()).violations, IsEmpty());
}

TEST(TileLifetimesTest, ThousandsOfPiecesAnInstanceCountForMoreThanOneStep) {
  // 2,048 pieces of two bytes, 100 times: 100 instances, and the work of 12,800.
  RingKernel kernel(1);
  KernelBuilder& b = kernel.builder();
  const TensorId k =
      b.Sbuf("k", DType::kBfloat16, {kRows, 4096}, {.at = {{Partition(0), ByteOffset(0)}}});
  kernel.Open("i", 100);
  b.Instruction("memset").Out("dst", b.Whole(k).Pattern(0, {{2, 2048}})).On(Engine::kDve);
  kernel.Close();
  const Kernel built = kernel.Build();
  EXPECT_FALSE(FindTileFaults(built, FixedPlacement(built), 1000).complete);
  EXPECT_TRUE(FindTileFaults(built, FixedPlacement(built), 20000).complete);
}

TEST(TileLifetimesTest, ASingleTileMakesLoadsWaitAndTwoDoNot) {
  const TileLifetimeReport alone = ReportOf(Pipeline(6, 0, 1));
  EXPECT_THAT(alone.findings, IsEmpty());
  ASSERT_THAT(alone.waits, SizeIs(1));
  EXPECT_EQ(alone.waits.front().enough->counts.tiles, 2);
  EXPECT_EQ(alone.waits.front().wait.write.iteration, (Iteration{{"i", 1}}));
  EXPECT_EQ(alone.waits.front().wait.read.iteration, (Iteration{{"i", 0}}));
  EXPECT_EQ(
      alone.notes.front(),
      "k has 1 tile: dma_copy at i=1 can't write k[1] before dma_copy at i=0 has read k[0], "
      "which was filled just before it, so writes and reads of its tiles take turns; 2 tiles would "
      "let them overlap: num_free_tiles=(2,), sbuf bytes [0, 64)");
  EXPECT_THAT(ReportOf(Pipeline(6, 0, 2)).waits, IsEmpty());
  EXPECT_THAT(ReportOf(Pipeline(6, 1, 2)).waits, IsEmpty());
}

TEST(TileLifetimesTest, LoopsWithoutEndStopAtTheLimit) {
  RingKernel kernel(1);
  const TensorId k = kernel.Ring("k", {2}, {2});
  const AffineExpr i = kernel.Open("i", std::int64_t{1} << 50);
  kernel.Load(k, {0}, 0).When(AtLeast(i, std::int64_t{1} << 49));
  kernel.Close();
  EXPECT_FALSE(FindTileFaults(kernel.Build(), FixedPlacement(kernel.Build()), 1000).complete);
}

}  // namespace
}  // namespace spillway::nki
