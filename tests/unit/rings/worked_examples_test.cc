// The worked examples of a NeuronCore, as kernels. Source: ts_pipelines.md §13, N1 to N3.
#include <gmock/gmock.h>

#include "tests/unit/rings/ring_kernels.h"
#include "traces/pipeline_reader.h"

namespace spillway::rings {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// N1: load, product, copy from PSUM, store, three times over two buffers each.
Kernel RingKernel(std::int64_t trips) {
  KernelBuilder builder("n1_neuroncore_ring", "trn2");
  const TensorId x = builder.Dram("x", DType::kBfloat16, {trips * 128, 512}, Role::kInput);
  const TensorId y = builder.Dram("y", DType::kFloat32, {trips * 128, 512}, Role::kOutput);
  const TensorId in = Ring128(builder, "in", trips, 512, 0, 2);
  TensorOptions options;
  options.blocks = {trips};
  options.alloc = ModuloLaw{.num_bank_tiles = {2}};
  const TensorId ps = builder.Psum("ps", DType::kFloat32, {128, 512}, options);
  options.alloc = Tiles(2048, 2);
  const TensorId out = builder.Sbuf("out", DType::kFloat32, {128, 512}, options);
  builder.OpenLoop("i", 0, trips);
  const AffineExpr i = builder.Index("i");
  builder.Copy(builder.Whole(in).Block({i}), builder.Whole(x).Tile(i * 128, 128, 0, 512));
  builder.Instruction("nc_matmul")
      .On(Engine::kPe)
      .Out("dst", builder.Whole(ps).Block({i}))
      .In("stationary", builder.Whole(in).Block({i}))
      .In("moving", builder.Whole(in).Block({i}))
      .Attr("accumulate", false);
  Compute(builder, Engine::kDve, builder.Whole(out).Block({i}), builder.Whole(ps).Block({i}));
  builder.Copy(builder.Whole(y).Tile(i * 128, 128, 0, 512), builder.Whole(out).Block({i}));
  builder.CloseLoop();
  return builder.Build();
}

TEST(WorkedExamples, N1IsTheSystemOfThreeRings) {
  const KernelRings rings = RingsOf(RingKernel(3));
  const task::PipelineSystem& system = rings.system;
  const Result<task::PipelineSystem> example = ReadPipelineFile(
      std::string(SPILLWAY_SOURCE_DIR) + "/traces/pipelines/n1_neuroncore_ring.pipeline.json");
  ASSERT_TRUE(example.has_value());
  EXPECT_EQ(system.pipelines, example->pipelines);
  EXPECT_EQ(rings.semaphores, 0);
  ASSERT_EQ(system.tasks.size(), 4u);
  for (const task::Task& task : system.tasks) {
    ASSERT_EQ(task.operations.size(), 1u) << task.name;
    EXPECT_EQ(task.operations.front().trips, 3) << task.name;
  }
  const task::Verdict verdict = VerdictOf(system);
  EXPECT_TRUE(verdict.IsClean());
  EXPECT_EQ(verdict.events, 60);
}

TEST(WorkedExamples, N1KeepsItsLoopAtAnyLength) {
  const KernelRings rings = RingsOf(RingKernel(1000));
  for (const task::Task& task : rings.system.tasks) {
    ASSERT_EQ(task.operations.size(), 1u) << task.name;
    EXPECT_EQ(task.operations.front().trips, 1000) << task.name;
  }
}

/// N2, N3: two tensors in the same bytes, b from partition `b_start` on.
Kernel Bands(std::int64_t b_start) {
  KernelBuilder builder("bands", "trn2");
  const TensorId y = builder.Dram("y", DType::kBfloat16, {64, 256}, Role::kOutput);
  const TensorId a = Fixed(builder, "a", 256, 1024, 0, 64);
  const TensorId b = Fixed(builder, "b", 256, 1024, b_start, 64);
  const TensorId c = Fixed(builder, "c", 256, 8192, 0, 64);
  builder.Instruction("memset").On(Engine::kAct).Out("dst", builder.Whole(a));
  builder.Instruction("memset").On(Engine::kPool).Out("dst", builder.Whole(b));
  Compute(builder, Engine::kDve, builder.Whole(c), builder.Whole(a));
  builder.Copy(builder.Whole(y), builder.Whole(b));
  return builder.Build();
}

task::PipelineSystem PlacedApart(const Kernel& kernel, bool across_units) {
  Result<task::PipelineSystem> system =
      PlacementSystem(kernel, FixedPlacement(kernel), Trn2(), WaitOptions{across_units});
  if (!system) throw std::runtime_error(system.error().ToString());
  return std::move(*system);
}

TEST(WorkedExamples, N2DisjointBandsOfTheSameBytesAreApart) {
  const Kernel kernel = Bands(64);
  EXPECT_TRUE(VerdictOf(RingsOf(kernel).system).IsClean());
  EXPECT_TRUE(VerdictOf(PlacedApart(kernel, false)).IsClean());
}

TEST(WorkedExamples, N3OverlappingBandsRaceWhereNoWaitKnowsOfThem) {
  const task::PipelineSystem system = PlacedApart(Bands(32), false);
  EXPECT_THAT(RaceNames(system),
              ElementsAre("Act write a / Pool write b", "Act write a / Store.dma read b",
                          "Dve read a / Pool write b"));
}

TEST(WorkedExamples, N3OverlappingBandsAreAClobberWhereTheWaitsFollowTheBytes) {
  for (const task::PipelineSystem& system :
       {PlacedApart(Bands(32), true), RingsOf(Bands(32)).system}) {
    const task::Verdict verdict = VerdictOf(system);
    EXPECT_THAT(verdict.races, IsEmpty());
    ASSERT_EQ(verdict.clobbers.size(), 1u);
    EXPECT_THAT(task::NamesOf(system, verdict.clobbers.front().read.what),
                ElementsAre("Dve", "read", "a"));
    EXPECT_THAT(task::NamesOf(system, verdict.clobbers.front().write.what),
                ElementsAre("Pool", "write", "b"));
  }
}

}  // namespace
}  // namespace spillway::rings
