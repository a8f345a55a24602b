// How many stages a software pipeline needs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/alloc/rings/find_ring.h"
#include "tests/unit/rings/ring_kernels.h"
#include "traces/allocated_kernels.h"
#include "traces/pipeline_reader.h"

namespace spillway::rings {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RingDepth, IsOneMoreThanTheSkewWhoeverFillsTheRing) {
  for (const Engine producer : {Engine::kDma, Engine::kDve, Engine::kPool}) {
    for (std::int64_t skew = 0; skew <= 3; ++skew) {
      for (std::int64_t stages = 1; stages <= 5; ++stages) {
        const Kernel kernel = Skewed({.skew = skew, .stages = stages, .producer = producer});
        const RingDepth depth = DepthOf(kernel, RingsOf(kernel), "ring");
        EXPECT_EQ(depth.skew, skew);
        EXPECT_EQ(depth.needed, skew + 1);
        EXPECT_EQ(depth.as_it_is.empty(), stages > skew) << skew << " " << stages;
        EXPECT_EQ(depth.with_fewer.empty(), skew == 0);
        if (skew == 0) continue;
        EXPECT_THAT(depth.with_fewer, StartsWith("wrong-value: Dve read ring_fill0"));
      }
    }
  }
}

TEST(RingDepth, TooShortForTheOrderStillRunsWhereAnotherStreamFills) {
  const Kernel kernel = Skewed({.skew = 3, .stages = 2});
  const KernelRings rings = RingsOf(kernel);
  const TensorRing& ring = RowOf(kernel, rings, "ring");
  ASSERT_TRUE(ring.pipeline.has_value());
  EXPECT_TRUE(VerdictOf(rings.system).IsClean());
  EXPECT_EQ(FewestLiveStages(rings.system, *ring.pipeline).value(), 1);
}

TEST(RingDepth, TooShortForTheOrderStopsAStreamThatFillsAndReads) {
  for (std::int64_t skew = 0; skew <= 3; ++skew) {
    for (std::int64_t stages = 2; stages <= 5; ++stages) {
      const Kernel kernel = Skewed({.skew = skew, .stages = stages, .producer = Engine::kDve});
      const KernelRings rings = RingsOf(kernel);
      const TensorRing& ring = RowOf(kernel, rings, "ring");
      ASSERT_TRUE(ring.pipeline.has_value());
      const task::Verdict verdict = VerdictOf(rings.system);
      EXPECT_EQ(verdict.blocked.empty(), stages > skew) << skew << " " << stages;
      EXPECT_TRUE(verdict.races.empty());
      EXPECT_TRUE(verdict.clobbers.empty());
      const auto live = FewestLiveStages(rings.system, *ring.pipeline).value();
      EXPECT_EQ(live, stages > skew ? std::optional(skew + 1) : std::nullopt);
    }
  }
}

TEST(RingDepth, OfPartsThatNeverMeetIsLessThanTheSkewAsksFor) {
  // Even and odd blocks use different halves of their tile.
  KernelBuilder builder("halves", "trn2");
  const TensorId ring = Ring128(builder, "ring", 2, 64, 0, 2);
  const TensorId out = Fixed(builder, "out", 64, 4096);
  const TensorId y = builder.Dram("y", DType::kBfloat16, {128, 64}, Role::kOutput);
  for (const std::int64_t b : {0, 1}) {
    builder.Instruction("memset")
        .On(Engine::kPool)
        .Out("dst", builder.Whole(ring).Block({b}).Elements(b * 32, 32));
  }
  for (const std::int64_t b : {0, 1}) {
    Compute(builder, Engine::kDve, builder.Whole(out).Elements(b * 32, 32),
            builder.Whole(ring).Block({b}).Elements(b * 32, 32));
  }
  builder.Copy(builder.Whole(y), builder.Whole(out));
  const Kernel kernel = builder.Build();
  const RingDepth depth = DepthOf(kernel, RingsOf(kernel), "ring");
  EXPECT_EQ(depth.skew, 1);
  EXPECT_EQ(depth.needed, 1);
}

TEST(RingDepth, CountsAnInstructionThatWritesOnTopOfWhatItReads) {
  KernelBuilder builder("on_top", "trn2");
  const TensorId ring = Ring128(builder, "ring", 4, 64, 0, 1);
  const TensorId y = builder.Dram("y", DType::kBfloat16, {128, 64}, Role::kOutput);
  builder.Instruction("memset").On(Engine::kDve).Out("dst", builder.Whole(ring).Block({0}));
  builder.OpenLoop("i", 0, 3);
  const AffineExpr i = builder.Index("i");
  Compute(builder, Engine::kDve, builder.Whole(ring).Block({i + 1}),
          builder.Whole(ring).Block({i}));
  builder.CloseLoop();
  builder.Copy(builder.Whole(y), builder.Whole(ring).Block({3}));
  const Kernel kernel = builder.Build();
  const RingDepth depth = DepthOf(kernel, RingsOf(kernel), "ring");
  EXPECT_EQ(depth.needed, 2);
  EXPECT_THAT(depth.as_it_is, HasSubstr("reads fill 0 of ring and writes fill 1 on top of it"));
}

TEST(RingDepth, OfABufferThatTakesTurnsByItsIndexIsThatOfItsFills) {
  // Two blocks, written i + 1 and read i modulo 2: five fills in two places.
  KernelBuilder builder("by_index", "trn2");
  const TensorId x = builder.Dram("x", DType::kBfloat16, {6 * 128, 64}, Role::kInput);
  const TensorId y = builder.Dram("y", DType::kBfloat16, {5 * 128, 64}, Role::kOutput);
  const TensorId ring = Ring128(builder, "ring", 2, 64, 0, 2);
  const TensorId out = Fixed(builder, "out", 64, 4096);
  builder.Copy(builder.Whole(ring).Block({0}), builder.Whole(x).Tile(0, 128, 0, 64));
  builder.OpenLoop("i", 0, 5);
  const AffineExpr i = builder.Index("i");
  builder.Copy(builder.Whole(ring).Block({(i + 1) % 2}),
               builder.Whole(x).Tile(i * 128 + 128, 128, 0, 64));
  Compute(builder, Engine::kDve, builder.Whole(out), builder.Whole(ring).Block({i % 2}));
  builder.Copy(builder.Whole(y).Tile(i * 128, 128, 0, 64), builder.Whole(out));
  builder.CloseLoop();
  const Kernel kernel = builder.Build();
  const KernelRings rings = RingsOf(kernel);
  const TensorRing& ring_row = RowOf(kernel, rings, "ring");
  EXPECT_EQ(ring_row.fills, 6);
  ASSERT_TRUE(ring_row.pipeline.has_value());
  EXPECT_EQ(rings.system.pipelines[*ring_row.pipeline].stages, 2);
  const RingDepth depth = DepthOf(kernel, rings, "ring");
  EXPECT_EQ(depth.skew, 1);
  EXPECT_EQ(depth.needed, 2);
  // The last load is never used; its stream's reader gives the stage back at the end.
  EXPECT_TRUE(VerdictOf(rings.system).IsClean());
}

TEST(RingDepth, OfTheHandAllocatedKernels) {
  struct Row {
    std::string kernel;
    std::string tensor;
    std::int64_t stages;
    std::int64_t needed;
  };
  const std::vector<Row> rows = {{"rms_norm_qkv", "hidden_tiles", 2, 1},
                                 {"rms_norm_qkv", "weights", 64, 64},
                                 {"rms_norm_qkv", "transposed", 16, 16},
                                 {"prefetched_rms_norm", "hidden_tiles", 3, 3},
                                 {"prefetched_rms_norm", "normalised", 2, 1},
                                 {"pipelined_attention_4k", "scores", 4, 4},
                                 {"pipelined_attention_4k", "q_tiles", 4, 4},
                                 {"pipelined_attention_4k", "exponentials", 8, 4},
                                 {"double_buffer_too_short", "hidden_tiles", 2, 3}};
  std::vector<Kernel> kernels = AllocatedKernels();
  for (Kernel& kernel : BrokenAllocatedKernels()) kernels.push_back(std::move(kernel));
  for (const Row& row : rows) {
    for (const Kernel& kernel : kernels) {
      if (kernel.name != row.kernel) continue;
      const KernelRings rings = RingsOf(kernel);
      EXPECT_EQ(RowOf(kernel, rings, row.tensor).places, row.stages) << row.kernel << row.tensor;
      const RingDepth depth = DepthOf(kernel, rings, row.tensor);
      EXPECT_EQ(depth.needed, row.needed) << row.kernel << row.tensor;
      EXPECT_EQ(depth.as_it_is.empty(), row.stages >= row.needed) << row.kernel << row.tensor;
    }
  }
}

/// A fills `ahead` stages before it commits one, and B drains them.
task::PipelineSystem Ahead(std::int64_t ahead, std::int64_t stages) {
  const auto times = [&](const char* operation) {
    return fmt::format(R"({{"loop": {}, "ops": [{{"{}": "p"}}]}})", ahead, operation);
  };
  const auto task = [&](const char* name, const char* open, const char* close) {
    return fmt::format(R"({{"name": "{}", "ops": [{{"loop": 50, "ops": [{}, {}]}}]}})", name,
                       times(open), times(close));
  };
  return ParsePipeline(fmt::format(
                           R"({{"system": "s", "version": 1, "barriers": "none",
      "pipelines": [{{"name": "p", "stages": {}, "producer": "thread", "consumer": "thread"}}],
      "tasks": [{}, {}]}})",
                           stages, task("A", "acquire", "commit"), task("B", "wait", "release")),
                       "test")
      .value();
}

TEST(RingDepth, TheFewestLiveStagesAreFoundByHalving) {
  for (const std::int64_t ahead : {1, 2, 3, 31, 32, 33, 63, 64}) {
    for (const std::int64_t stages : {1, 2, 32, 33, 63, 64}) {
      const auto live = FewestLiveStages(Ahead(ahead, stages), task::PipelineId(0)).value();
      EXPECT_EQ(live, ahead <= stages ? std::optional(ahead) : std::nullopt)
          << ahead << " " << stages;
    }
  }
}

}  // namespace
}  // namespace spillway::rings
