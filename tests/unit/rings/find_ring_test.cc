// What becomes a pipeline and what doesn't, each for its own reason.
#include "model/alloc/rings/find_ring.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "tests/unit/rings/ring_kernels.h"
#include "traces/allocated_kernels.h"

namespace spillway::rings {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kRow = 64;

/// A kernel around the tensor "t" with an output of its own.
class Around {
 public:
  Around() : builder("around", "trn2") {
    const TensorId y = builder.Dram("y", DType::kBfloat16, {128, kRow}, Role::kOutput);
    x = builder.Dram("x", DType::kBfloat16, {8 * 128, kRow}, Role::kInput);
    out = Fixed(builder, "out", kRow, 8192);
    builder.Instruction("memset").On(Engine::kAct).Out("dst", builder.Whole(out));
    builder.Copy(builder.Whole(y), builder.Whole(out));
  }

  OperandBuilder T() const { return builder.Whole(t); }
  InstructionBuilder Write(Engine engine, Operand dst) {
    return builder.Instruction("memset").On(engine).Out("dst", std::move(dst));
  }
  InstructionBuilder Read(Engine engine, Operand src) {
    const std::string name = "sink_" + std::string(EngineName(engine));
    if (!sinks.contains(name))
      sinks[name] = Fixed(builder, name, kRow, 16384 + 256 * std::int64_t(sinks.size()));
    return Compute(builder, engine, builder.Whole(sinks[name]), std::move(src));
  }

  KernelBuilder builder;
  TensorId t;
  TensorId x;
  TensorId out;
  std::map<std::string, TensorId> sinks;
};

struct Refusal {
  std::string code;
  std::string words;  ///< of the message
  std::function<void(Around&)> program;
};

const std::vector<Refusal>& Refusals() {
  static const std::vector<Refusal> rows = {
      {"ring-initial", "holds data from the start",
       [](Around& a) {
         TensorOptions options;
         options.role = Role::kConstant;
         options.at = {{Partition(0), ByteOffset(0)}};
         a.t = a.builder.Sbuf("t", DType::kBfloat16, {128, kRow}, options);
         a.Read(Engine::kDve, a.T());
       }},
      {"ring-one-stream", "Dve alone",
       [](Around& a) {
         a.t = Fixed(a.builder, "t", kRow, 0);
         for (int turn = 0; turn < 2; ++turn) {
           a.Write(Engine::kDve, a.T());
           a.Read(Engine::kDve, a.T());
         }
       }},
      {"ring-unwritten", "(tensor_copy) reads it before anything was written",
       [](Around& a) {
         a.t = Fixed(a.builder, "t", kRow, 0);
         a.Read(Engine::kDve, a.T());
         a.Write(Engine::kPool, a.T());
       }},
      {"ring-once", "it is filled once",
       [](Around& a) {
         a.t = Fixed(a.builder, "t", kRow, 0);
         a.Write(Engine::kPool, a.T());
         a.Read(Engine::kDve, a.T());
       }},
      {"ring-once", "each of its 2 places is filled once",
       [](Around& a) {
         a.t = Ring128(a.builder, "t", 2, kRow, 0, 2);
         for (const std::int64_t b : {0, 1}) a.Write(Engine::kPool, a.T().Block({b}));
         for (const std::int64_t b : {0, 1}) a.Read(Engine::kDve, a.T().Block({b}));
       }},
      {"ring-places", "fill 2, by instruction 6 (memset), lies at partition 0, byte 128; expected",
       [](Around& a) {
         TensorOptions options;
         options.blocks = {4};
         for (const std::int64_t byte : {0, 128, 128, 0})
           options.at.push_back({Partition(0), ByteOffset(byte)});
         a.t = a.builder.Sbuf("t", DType::kBfloat16, {128, kRow}, options);
         for (const std::int64_t b : {0, 1, 2, 3}) {
           a.Write(Engine::kPool, a.T().Block({b}));
           a.Read(Engine::kDve, a.T().Block({b}));
         }
       }},
      {"ring-stride", "place 1 lies -128 bytes behind place 0",
       [](Around& a) {
         TensorOptions options;
         options.blocks = {4};
         for (const std::int64_t byte : {128, 0, 128, 0})
           options.at.push_back({Partition(0), ByteOffset(byte)});
         a.t = a.builder.Sbuf("t", DType::kBfloat16, {128, kRow}, options);
         for (const std::int64_t b : {0, 1, 2, 3}) {
           a.Write(Engine::kPool, a.T().Block({b}));
           a.Read(Engine::kDve, a.T().Block({b}));
         }
       }},
      {"ring-producers", "fill 0, which begins in instruction 2 (memset), is not written by Pool",
       [](Around& a) {
         a.t = Ring128(a.builder, "t", 4, kRow, 0, 2);
         a.builder.OpenLoop("i", 0, 4);
         const AffineExpr i = a.builder.Index("i");
         a.Write(Engine::kAct, a.T().Block({i})).When({i % 2, Comparison::kEqual});
         a.Write(Engine::kPool, a.T().Block({i})).When({i % 2, Comparison::kNotEqual});
         a.Read(Engine::kDve, a.T().Block({i}));
         a.builder.CloseLoop();
       }},
      {"ring-producers", "Pool and Dve work on the same bytes",
       [](Around& a) {
         a.t = Fixed(a.builder, "t", kRow, 0);
         for (int turn = 0; turn < 2; ++turn) {
           a.Write(Engine::kPool, a.T());
           a.Write(Engine::kDve, a.T().Elements(8, 8));
           a.Read(Engine::kAct, a.T());
         }
       }},
      {"ring-consumers", "is not read by Pool",
       [](Around& a) {
         a.t = Ring128(a.builder, "t", 8, kRow, 0, 2);
         a.builder.OpenLoop("i", 0, 8);
         const AffineExpr i = a.builder.Index("i");
         a.Write(Engine::kAct, a.T().Block({i}));
         a.Read(Engine::kDve, a.T().Block({i}));
         a.Read(Engine::kPool, a.T().Block({i})).When(LessThan(i, 2));
         a.builder.CloseLoop();
       }},
      {"ring-unread", "nobody reads",
       [](Around& a) {
         a.t = Ring128(a.builder, "t", 4, kRow, 0, 2);
         a.builder.OpenLoop("i", 0, 4);
         a.Write(Engine::kAct, a.T().Block({a.builder.Index("i")}));
         a.builder.CloseLoop();
       }},
      {"ring-held", "Dve reads fill 1 in instruction",
       [](Around& a) {
         a.t = Ring128(a.builder, "t", 6, kRow, 0, 3);
         a.Write(Engine::kPool, a.T().Block({0}));
         a.builder.OpenLoop("i", 0, 5);
         const AffineExpr i = a.builder.Index("i");
         a.Write(Engine::kPool, a.T().Block({i + 1}));
         a.Read(Engine::kDve, a.T().Block({i})).In("other", a.T().Block({i + 1}));
         a.builder.CloseLoop();
       }},
      {"ring-transfers", "fill 0 is written by instruction 2 (dma_copy) and by instruction 3",
       [](Around& a) {
         a.t = Ring128(a.builder, "t", 4, kRow, 0, 2);
         a.builder.OpenLoop("i", 0, 4);
         const AffineExpr i = a.builder.Index("i");
         for (const std::int64_t half : {0, 1}) {
           a.builder.Copy(a.T().Block({i}).Elements(half * 32, 32),
                          a.builder.Whole(a.x).Tile(i * 128, 128, half * 32, 32));
         }
         a.Read(Engine::kDve, a.T().Block({i}));
         a.builder.CloseLoop();
       }},
      {"ring-in-place", "would wait for its own end",
       [](Around& a) {
         a.t = Ring128(a.builder, "t", 4, kRow, 0, 1);
         a.builder.Copy(a.T().Block({0}), a.builder.Whole(a.x).Tile(0, 128, 0, kRow));
         a.builder.OpenLoop("i", 0, 3);
         const AffineExpr i = a.builder.Index("i");
         a.builder.Instruction("dma_copy")
             .On(Engine::kDma)
             .Out("dst", a.T().Block({i + 1}))
             .In("src", a.T().Block({i}));
         a.builder.CloseLoop();
       }},
  };
  return rows;
}

TEST(FindRing, RefusesByNameWhatIsNoPipeline) {
  for (const Refusal& refusal : Refusals()) {
    Around around;
    refusal.program(around);
    const Kernel kernel = around.builder.Build();
    const KernelRings rings = RingsOf(kernel);
    const TensorRing& row = RowOf(kernel, rings, "t");
    ASSERT_TRUE(row.refusal.has_value()) << refusal.code;
    EXPECT_EQ(row.refusal->code, refusal.code) << row.refusal->message;
    EXPECT_THAT(row.refusal->message, HasSubstr(refusal.words));
    EXPECT_THAT(row.refusal->message, HasSubstr("tensor t: "));
    EXPECT_FALSE(row.pipeline.has_value());
  }
}

TEST(FindRing, ATensorThatIsNoPipelineIsOrderedBySemaphores) {
  for (const Refusal& refusal : Refusals()) {
    Around around;
    refusal.program(around);
    const Kernel kernel = around.builder.Build();
    const task::Verdict verdict = VerdictOf(RingsOf(kernel).system);
    EXPECT_TRUE(verdict.blocked.empty() && verdict.races.empty() && verdict.structure.empty())
        << refusal.code;
    EXPECT_TRUE(verdict.clobbers.empty()) << refusal.code;
    EXPECT_EQ(verdict.uninitialized.empty(), refusal.code != "ring-unwritten") << refusal.code;
  }
}

TEST(FindRing, StreamsThatFillTogetherEachHaveBytesOfTheirOwn) {
  Around a;
  a.t = Ring128(a.builder, "t", 6, kRow, 0, 2);
  a.builder.OpenLoop("i", 0, 6);
  const AffineExpr i = a.builder.Index("i");
  a.builder.Copy(a.T().Block({i}).Elements(0, 32), a.builder.Whole(a.x).Tile(i * 128, 128, 0, 32));
  a.Write(Engine::kPool, a.T().Block({i}).Elements(32, 32));
  a.Read(Engine::kDve, a.T().Block({i}));
  a.Read(Engine::kAct, a.T().Block({i}).Elements(16, 32));
  a.builder.CloseLoop();
  const Kernel kernel = a.builder.Build();
  const KernelRings rings = RingsOf(kernel);
  const TensorRing& row = RowOf(kernel, rings, "t");
  ASSERT_TRUE(row.pipeline.has_value()) << row.refusal->message;
  const task::Pipeline& pipeline = rings.system.pipelines[*row.pipeline];
  EXPECT_EQ(pipeline.producer.by_task.size(), 2u);
  EXPECT_EQ(pipeline.consumer.kind, task::SideKind::kThread);
  EXPECT_TRUE(VerdictOf(rings.system).IsClean());
}

TEST(FindRing, AnUpdateInPlaceGivesTheStageBackBeforeItTakesItAgain) {
  Around a;
  a.t = Fixed(a.builder, "t", kRow, 0);
  a.builder.OpenLoop("i", 0, 4, 1, LoopKind::kSequential);
  a.Write(Engine::kDve, a.T());
  a.Read(Engine::kAct, a.T());
  Compute(a.builder, Engine::kDve, a.T(), a.T());
  a.Read(Engine::kAct, a.T());
  a.builder.CloseLoop();
  const Kernel kernel = a.builder.Build();
  const KernelRings rings = RingsOf(kernel);
  const TensorRing& row = RowOf(kernel, rings, "t");
  EXPECT_EQ(row.fills, 8);
  const task::Verdict verdict = VerdictOf(rings.system);
  EXPECT_TRUE(verdict.IsClean());
}

TEST(FindRing, TheHandAllocatedKernelsHaveThesePipelines) {
  struct Row {
    std::string tensor;
    std::int64_t stages;
    task::SideKind producer;
    task::SideKind consumer;
  };
  using enum task::SideKind;
  const std::vector<Row> qkv = {
      {"hidden_tiles", 2, kDma, kThread}, {"normalised", 1, kThread, kMatrix},
      {"result", 1, kThread, kDma},       {"transposed", 16, kThread, kMatrix},
      {"turned", 1, kMatrix, kThread},    {"product", 1, kMatrix, kThread}};
  const std::vector<Row> prefetched = {{"hidden_tiles", 3, kDma, kThread},
                                       {"normalised", 2, kThread, kDma}};
  const std::map<std::string, std::vector<Row>> expected = {{"rms_norm_qkv", qkv},
                                                            {"prefetched_rms_norm", prefetched}};
  for (const Kernel& kernel : AllocatedKernels()) {
    if (!expected.contains(kernel.name)) continue;
    const std::vector<Row>& rows = expected.at(kernel.name);
    const KernelRings rings = RingsOf(kernel);
    EXPECT_EQ(rings.system.pipelines.size() - static_cast<std::size_t>(rings.semaphores),
              rows.size());
    for (const Row& row : rows) {
      const TensorRing& ring = RowOf(kernel, rings, row.tensor);
      ASSERT_TRUE(ring.pipeline.has_value()) << row.tensor;
      const task::Pipeline& pipeline = rings.system.pipelines[*ring.pipeline];
      EXPECT_EQ(pipeline.name, row.tensor);
      EXPECT_EQ(pipeline.stages, row.stages) << row.tensor;
      EXPECT_EQ(pipeline.producer.kind, row.producer) << row.tensor;
      EXPECT_EQ(pipeline.consumer.kind, row.consumer) << row.tensor;
    }
    EXPECT_TRUE(VerdictOf(rings.system).IsClean()) << kernel.name;
  }
}

TEST(FindRing, EveryStageLiesWhereItsBlocksLie) {
  const Kernel kernel = Skewed({.trips = 6, .skew = 1, .stages = 3});
  const KernelRings rings = RingsOf(kernel);
  const task::Resource& ring = rings.system.resources[task::ResourceId(0)];
  ASSERT_EQ(ring.name, "ring");
  ASSERT_EQ(ring.regions.size(), 1u);
  EXPECT_EQ(ring.regions.front().stage_stride, task::Units(128));
  EXPECT_EQ(ring.regions.front().size, task::Units(128));
  const task::Allocation& allocation = rings.system.allocations[ring.regions.front().allocation];
  EXPECT_EQ(allocation.size, task::Units(3 * 128));
  EXPECT_EQ(allocation.at, task::UnitOffset(0));
}

}  // namespace
}  // namespace spillway::rings
