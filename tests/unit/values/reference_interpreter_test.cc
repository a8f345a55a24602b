#include "sim/values/reference_interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<float> Floats(DType dtype, const TensorData& data) {
  std::vector<float> values(data.bytes.size() / static_cast<std::size_t>(ElementSize(dtype).value));
  DecodeElements(dtype, data.bytes, values);
  return values;
}

TensorData Data(DType dtype, const std::vector<float>& values) {
  TensorData data;
  data.bytes.resize(values.size() * static_cast<std::size_t>(ElementSize(dtype).value));
  EncodeElements(dtype, values, data.bytes);
  return data;
}

InterpreterReport RunKernel(const Kernel& kernel, ValueMode mode = ValueMode::kNumeric,
                            std::optional<Inputs> inputs = std::nullopt) {
  if (!inputs) inputs = GenerateInputs(kernel, 1).value();
  const Result<InterpreterReport> report = Interpret(kernel, mode, *inputs);
  EXPECT_TRUE(report.has_value());
  return *report;
}

// x [128, 256] fills the left half of buf [128, 512]; all of buf goes to y.
Kernel UnloadedHalf(std::int64_t loaded = 256, bool spill = false) {
  KernelBuilder b("unloaded_half_is_read", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, 512}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, 512}, Role::kOutput);
  const TensorId buf = b.Sbuf("buf", DType::kFloat32, {128, 512});
  const TensorId copy = b.Sbuf("copy", DType::kFloat32, {128, 512});
  b.Copy(b.Whole(buf).Elements(0, loaded),
         b.Whole(x).Tile(AffineExpr(0), 128, AffineExpr(0), loaded));
  if (spill) b.Copy(b.Whole(copy), b.Whole(buf)).Spill(SpillRole::kReload);
  b.Copy(b.Whole(y), b.Whole(spill ? copy : buf)).Source("kernel.py:7");
  return b.Build();
}

TEST(UninitializedReads, AHalfThatNothingLoadedIsNamedWithItsPartitionsAndBytes) {
  const InterpreterReport report = RunKernel(UnloadedHalf());
  ASSERT_THAT(report.uninitialized, SizeIs(1));
  const Violation& violation = report.uninitialized.front();
  EXPECT_EQ(violation.kind, Kind::kUninitializedRead);
  EXPECT_THAT(violation.tensors, ElementsAre("buf"));
  EXPECT_EQ(violation.space, Space::kSbuf);
  EXPECT_EQ(violation.range, (Interval<ByteOffset>{ByteOffset(1024), ByteOffset(2048)}));
  EXPECT_EQ(violation.time, (Interval<PointId>{PointId(1), PointId(2)}));
  EXPECT_THAT(violation.text, AllOf(HasSubstr("\"buf\""), HasSubstr("partitions [0, 128)"),
                                    HasSubstr("[1024, 2048)"), HasSubstr("131072 bytes"),
                                    HasSubstr("dma_copy"), HasSubstr("kernel.py:7")));
  EXPECT_EQ(report.uninitialized_total, 1);
  EXPECT_EQ(report.reads_checked, 2);
}

TEST(UninitializedReads, AreFoundInEveryMode) {
  for (const ValueMode mode : {ValueMode::kNumeric, ValueMode::kTags, ValueMode::kNone}) {
    EXPECT_THAT(RunKernel(UnloadedHalf(), mode).uninitialized, SizeIs(1));
    EXPECT_THAT(RunKernel(UnloadedHalf(512), mode).uninitialized, IsEmpty());
  }
}

TEST(UninitializedReads, ASpillCopyPassesOnWhatIsMissingAndIsNotItselfAReader) {
  const InterpreterReport report = RunKernel(UnloadedHalf(256, true));
  ASSERT_THAT(report.uninitialized, SizeIs(1));
  EXPECT_THAT(report.uninitialized.front().tensors, ElementsAre("copy"));
  EXPECT_EQ(report.uninitialized.front().range,
            (Interval<ByteOffset>{ByteOffset(1024), ByteOffset(2048)}));
  EXPECT_THAT(RunKernel(UnloadedHalf(512, true)).uninitialized, IsEmpty());
}

TEST(UninitializedReads, AccumulationReadsItsDestination) {
  for (const bool accumulate : {false, true}) {
    KernelBuilder b("k", "trn2");
    const TensorId x = b.Dram("x", DType::kBfloat16, {4, 4}, Role::kInput);
    const TensorId y = b.Dram("y", DType::kFloat32, {4, 4}, Role::kOutput);
    const TensorId tile = b.Sbuf("tile", DType::kBfloat16, {4, 4});
    const TensorId bank = b.Psum("bank", DType::kFloat32, {4, 4});
    const TensorId out = b.Sbuf("out", DType::kFloat32, {4, 4});
    b.Copy(b.Whole(tile), b.Whole(x));
    b.Instruction("nc_matmul")
        .Out("dst", b.Whole(bank))
        .In("stationary", b.Whole(tile))
        .In("moving", b.Whole(tile))
        .Attr("accumulate", accumulate);
    b.Instruction("tensor_copy").Out("dst", b.Whole(out)).In("src", b.Whole(bank));
    b.Copy(b.Whole(y), b.Whole(out));
    EXPECT_THAT(RunKernel(b.Build()).uninitialized, SizeIs(accumulate ? 1 : 0));
  }
}

TEST(UninitializedReads, OneATensorAndPointHoweverOftenItRuns) {
  KernelBuilder b("k", "trn2");
  const TensorId y = b.Dram("y", DType::kFloat32, {4, 8}, Role::kOutput);
  const TensorId t = b.Sbuf("t", DType::kFloat32, {4, 8});
  b.OpenLoop("i", 2, 8);
  b.Copy(b.Whole(y).Tile(AffineExpr(0), 4, b.Index("i"), 1), b.Whole(t).Elements(b.Index("i"), 1));
  b.CloseLoop();
  const InterpreterReport report = RunKernel(b.Build());
  ASSERT_THAT(report.uninitialized, SizeIs(1));
  EXPECT_THAT(report.uninitialized.front().text, HasSubstr("i=2"));
  EXPECT_EQ(report.instructions, 6);
}

TEST(UninitializedReads, BlocksAreToldApart) {
  KernelBuilder b("k", "trn2");
  const TensorId y = b.Dram("y", DType::kFloat32, {2, 4, 8}, Role::kOutput);
  const TensorId t = b.Sbuf("t", DType::kFloat32, {4, 8}, {.blocks = {2}});
  b.Instruction("memset").Out("dst", b.Whole(t).Block({AffineExpr(0)})).Attr("value", 1.0);
  for (int block = 0; block < 2; ++block) {
    b.Copy(b.Whole(y).Tile(AffineExpr(4 * block), 4, AffineExpr(0), 8),
           b.Whole(t).Block({AffineExpr(block)}));
  }
  const InterpreterReport report = RunKernel(b.Build());
  ASSERT_THAT(report.uninitialized, SizeIs(1));
  EXPECT_THAT(report.uninitialized.front().text, HasSubstr("block 1"));
}

TEST(Interpreter, UnwrittenOutputBytesKeepTheInitialPattern) {
  KernelBuilder b("k", "trn2");
  const TensorId y = b.Dram("y", DType::kUint8, {4, 8}, Role::kOutput);
  const TensorId t = b.Sbuf("t", DType::kUint8, {4, 2});
  b.Instruction("memset").Out("dst", b.Whole(t)).Attr("value", 7);
  b.Copy(b.Whole(y).Tile(AffineExpr(0), 4, AffineExpr(0), 2), b.Whole(t));
  const InterpreterReport report = RunKernel(b.Build());
  const std::vector<std::byte>& bytes = report.dram.at("y").bytes;
  ASSERT_THAT(bytes, SizeIs(32));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(bytes[i], i % 8 < 2 ? std::byte{7} : InitialDramByte(static_cast<std::int64_t>(i)));
  }
}

// A running sum over a ragged last tile: 10 elements in tiles of 4, the last one under predicates.
Kernel RaggedSum() {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {1, 10}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {1, 1}, Role::kOutput);
  const TensorId sum = b.Sbuf("sum", DType::kFloat32, {1, 1});
  const TensorId tile = b.Sbuf("tile", DType::kFloat32, {1, 2}, {.blocks = {2}});
  b.Instruction("memset").Out("dst", b.Whole(sum)).Attr("value", 0.0);
  b.OpenLoop("i", 0, 3, 1, LoopKind::kSequential);
  b.OpenLoop("j", 0, 4, 2);
  const AffineExpr at = b.Index("i") * 4 + b.Index("j");
  const auto here = [&] { return b.Whole(tile).Block({b.Index("i") % 2}); };
  b.Copy(here(), b.Whole(x).Tile(AffineExpr(0), 1, at, 2)).When(LessThan(at, 9));
  for (int e = 0; e < 2; ++e) {
    b.Instruction("tensor_tensor")
        .Out("dst", b.Whole(sum))
        .In("data1", b.Whole(sum))
        .In("data2", here().Elements(e, 1))
        .Attr("op", "add")
        .When(LessThan(at, 9));
  }
  b.CloseLoop();
  b.CloseLoop();
  b.Copy(b.Whole(y), b.Whole(sum));
  return b.Build();
}

TEST(Interpreter, RunsLoopsInOrderUnderTheirPredicates) {
  const Inputs inputs = {{"x", Data(DType::kFloat32, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})}};
  const InterpreterReport report = RunKernel(RaggedSum(), ValueMode::kNumeric, inputs);
  EXPECT_THAT(Floats(DType::kFloat32, report.dram.at("y")), ElementsAre(1023));
  EXPECT_EQ(report.instructions, 1 + 5 * 3 + 1);
  EXPECT_THAT(report.uninitialized, IsEmpty());
}

TEST(Interpreter, LoopsCountDownSkipAndReenter) {
  KernelBuilder b("k", "trn2");
  const TensorId y = b.Dram("y", DType::kInt32, {1, 1}, Role::kOutput);
  const TensorId n = b.Sbuf("n", DType::kInt32, {1, 1});
  const auto add = [&](int amount) {
    b.Instruction("tensor_scalar")
        .Out("dst", b.Whole(n))
        .In("data", b.Whole(n))
        .Attr("op0", "add")
        .Attr("operand0", amount);
  };
  b.Instruction("memset").Out("dst", b.Whole(n)).Attr("value", 0);
  b.OpenLoop("down", 10, 0, -3);  // 10, 7, 4, 1
  add(1);
  b.OpenLoop("never", 5, 5);
  add(1000);
  b.CloseLoop();
  b.OpenLoop("twice", 0, 2);
  add(10);
  b.CloseLoop();
  b.CloseLoop();
  b.OpenLoop("skipped", 3, 0);
  b.OpenLoop("inside", 0, 3);
  add(1000);
  b.CloseLoop();
  b.CloseLoop();
  b.Copy(b.Whole(y), b.Whole(n));
  const InterpreterReport report = RunKernel(b.Build());
  EXPECT_THAT(Floats(DType::kInt32, report.dram.at("y")), ElementsAre(84));
  EXPECT_EQ(report.instructions, 1 + 4 * 3 + 1);
}

TEST(Interpreter, ATensorLivesUntilTheOutermostLoopThatUsesItEnds) {
  // `last` is read at the top of an iteration and written at its bottom, and other tensors of its
  // size come and go in between.
  KernelBuilder b("k", "trn2");
  const TensorId y = b.Dram("y", DType::kFloat32, {1, 8}, Role::kOutput);
  const TensorId last = b.Sbuf("last", DType::kFloat32, {1, 1});
  b.Instruction("memset").Out("dst", b.Whole(last)).Attr("value", 1.0);
  b.OpenLoop("i", 0, 8, 1, LoopKind::kSequential);
  b.Copy(b.Whole(y).Tile(AffineExpr(0), 1, b.Index("i"), 1), b.Whole(last));
  const TensorId scratch = b.Sbuf("scratch", DType::kFloat32, {1, 1});
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(scratch))
      .In("data1", b.Whole(last))
      .In("data2", b.Whole(last))
      .Attr("op", "add");
  b.Instruction("tensor_copy").Out("dst", b.Whole(last)).In("src", b.Whole(scratch));
  b.CloseLoop();
  const InterpreterReport report = RunKernel(b.Build());
  EXPECT_THAT(Floats(DType::kFloat32, report.dram.at("y")),
              ElementsAre(1, 2, 4, 8, 16, 32, 64, 128));
}

TEST(Interpreter, StorageIsGivenBackAfterTheLastUse) {
  // Ten tiles of 4 KiB, one after the other, in a loop of its own or not; y is 4 bytes.
  for (const bool looped : {false, true}) {
    KernelBuilder b("k", "trn2");
    const TensorId y = b.Dram("y", DType::kUint8, {4}, Role::kOutput);
    for (int i = 0; i < 10; ++i) {
      const TensorId t = b.Sbuf("t" + std::to_string(i), DType::kUint8, {4, 1024});
      if (looped) b.OpenLoop("i", 0, 2);
      b.Instruction("memset").Out("dst", b.Whole(t)).Attr("value", i);
      b.Copy(b.Whole(y), b.Whole(t).Elements(0, 1));
      if (looped) b.CloseLoop();
    }
    const InterpreterReport report = RunKernel(b.Build());
    EXPECT_EQ(report.peak_bytes, 4096 + 4);
    EXPECT_THAT(Floats(DType::kUint8, report.dram.at("y")), ElementsAre(9, 9, 9, 9));
  }
}

TEST(Interpreter, ListsOpaqueOperationsWithCountsAndReasons) {
  KernelBuilder b("k", "trn2");
  const TensorId y = b.Dram("y", DType::kFloat32, {1, 1}, Role::kOutput);
  const TensorId t = b.Sbuf("t", DType::kFloat32, {1, 1});
  b.OpenLoop("i", 0, 3);
  b.Instruction("frobnicate").Out("dst", b.Whole(t));
  b.CloseLoop();
  b.Copy(b.Whole(y), b.Whole(t));
  const Kernel kernel = b.Build();
  const InterpreterReport report = RunKernel(kernel);
  ASSERT_THAT(report.opaque, SizeIs(1));
  EXPECT_EQ(report.opaque.front().op, "frobnicate");
  EXPECT_EQ(report.opaque.front().count, 3);
  EXPECT_THAT(report.opaque.front().reason, HasSubstr("isn't known"));
  EXPECT_THAT(RunKernel(kernel, ValueMode::kTags).opaque, IsEmpty());
}

TEST(Interpreter, RepeatsItselfBitByBit) {
  for (const ValueMode mode : {ValueMode::kNumeric, ValueMode::kTags}) {
    EXPECT_EQ(RunKernel(RaggedSum(), mode).dram, RunKernel(RaggedSum(), mode).dram);
  }
}

TEST(InterpreterErrors, AnInputWithoutDataOrOfAnotherSize) {
  const Kernel kernel = RaggedSum();
  const auto missing = Interpret(kernel, ValueMode::kTags, {});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, "missing-input");
  EXPECT_THAT(missing.error().message, HasSubstr("\"x\""));
  const auto short_of = Interpret(kernel, ValueMode::kTags, {{"x", Data(DType::kFloat32, {1})}});
  ASSERT_FALSE(short_of.has_value());
  EXPECT_EQ(short_of.error().code, "input-size");
  EXPECT_THAT(short_of.error().message, AllOf(HasSubstr("4 bytes"), HasSubstr("40")));
}

TEST(InterpreterErrors, ARunWithoutEndIsGivenUp) {
  KernelBuilder b("k", "trn2");
  b.OpenLoop("i", 0, std::int64_t{1} << 40);
  b.CloseLoop();
  const auto report = Interpret(b.Build(), ValueMode::kNone, {}, {.max_steps = 1000});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().kind, Kind::kLimit);
  EXPECT_EQ(report.error().code, "interpreter-steps");
}

TEST(InterpreterErrors, ATensorTooLargeToHold) {
  KernelBuilder b("k", "trn2");
  b.Dram("y", DType::kFloat32, {std::int64_t{1} << 40, std::int64_t{1} << 40}, Role::kOutput);
  const Kernel kernel = b.Build();
  const auto report = Interpret(kernel, ValueMode::kTags, {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, "tensor-bytes");
}

}  // namespace
}  // namespace spillway
