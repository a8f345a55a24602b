#include "sim/values/value_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/values/numeric_ops.h"
#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(ValueModel, SpillCopiesAreExactInEveryMode) {
  for (const ValueMode mode : {ValueMode::kNumeric, ValueMode::kTags}) {
    KernelBuilder b("k", "trn2");
    const TensorId tile = b.Sbuf("tile", DType::kBfloat16, {4, 33});
    const TensorId home = b.Dram("home", DType::kBfloat16, {4, 33});
    const TensorId copy = b.Sbuf("copy", DType::kBfloat16, {4, 33});
    const TensorId bank = b.Psum("bank", DType::kBfloat16, {4, 33});
    b.Copy(b.Whole(home), b.Whole(tile)).Spill(SpillRole::kSave);
    b.Copy(b.Whole(copy), b.Whole(home)).Spill(SpillRole::kReload);
    b.Instruction("tensor_copy")
        .Out("dst", b.Whole(bank))
        .In("src", b.Whole(copy))
        .Spill(SpillRole::kReload);
    const Kernel kernel = b.Build();
    TestMemory memory(kernel);
    std::vector<std::byte> bytes(4 * 33 * 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(255 - i * 7);
    memory.SetBytes(tile, bytes);
    RunAll(kernel, memory, mode);
    EXPECT_EQ(memory.Bytes(home), bytes);
    EXPECT_EQ(memory.Bytes(bank), bytes);
    for (const Instruction& instruction : kernel.instructions) {
      EXPECT_FALSE(IsOpaque(kernel, instruction));
    }
  }
}

TEST(ValueModel, ADmaBetweenEqualTypesMovesItsBytesInTagsModeToo) {
  for (const DType to : {DType::kBfloat16, DType::kFloat32}) {
    KernelBuilder b("k", "trn2");
    const TensorId x = b.Dram("x", DType::kBfloat16, {4, 8}, Role::kInput);
    const TensorId tile = b.Sbuf("tile", to, {4, 8});
    b.Copy(b.Whole(tile), b.Whole(x));
    const Kernel kernel = b.Build();
    TestMemory memory(kernel);
    const std::vector<float> values = memory.Randomize(x, 1);
    RunAll(kernel, memory, ValueMode::kTags);
    EXPECT_EQ(memory.Floats(tile) == values, to == DType::kBfloat16);
  }
}

TEST(ValueModel, WithoutValuesNothingIsComputedOrWritten) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kBfloat16, {4, 4});
  b.Instruction("memset").Out("dst", b.Whole(t)).Attr("value", 1.0);
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  const std::vector<std::byte> before = memory.Bytes(t);
  const InstructionResult result = Compute(kernel, Only(kernel), {}, ValueMode::kNone, memory);
  EXPECT_TRUE(result.outputs.empty());
  Commit(kernel, Only(kernel), {}, result, memory);
  EXPECT_EQ(memory.Bytes(t), before);
}

TEST(ValueModel, ComputingWritesNothingUntilItIsCommitted) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {1, 2});
  b.Instruction("tensor_scalar")
      .Out("dst", b.Whole(t))
      .In("data", b.Whole(t))
      .Attr("op0", "add")
      .Attr("operand0", 1.0);
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetFloats(t, {1, 2});
  const InstructionResult result = Compute(kernel, Only(kernel), {}, ValueMode::kNumeric, memory);
  EXPECT_THAT(memory.Floats(t), ::testing::ElementsAre(1, 2));
  Commit(kernel, Only(kernel), {}, result, memory);
  EXPECT_THAT(memory.Floats(t), ::testing::ElementsAre(2, 3));
}

TEST(ValueModel, AResultOfAnotherSizeThrows) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {1, 2});
  b.Instruction("memset").Out("dst", b.Whole(t)).Attr("value", 1.0);
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  EXPECT_THROW(Commit(kernel, Only(kernel), {}, {{std::vector<std::byte>(4)}}, memory),
               ContractViolation);
}

/// Why a tensor_scalar that `change` has altered has no numerics.
template <class Change>
std::optional<std::string> WhyAfter(Change change) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {2, 4});
  const TensorId u = b.Sbuf("u", DType::kFloat32, {3, 1});
  InstructionBuilder op = b.Instruction("tensor_scalar")
                              .Out("dst", b.Whole(t))
                              .In("data", b.Whole(t))
                              .Attr("op0", "add");
  change(op, b, u);
  const Kernel kernel = b.Build();
  return WhyOpaque(kernel, Only(kernel));
}

TEST(WhyOpaque, NamesTheCause) {
  using B = KernelBuilder;
  EXPECT_THAT(WhyAfter([](InstructionBuilder& op, B&, TensorId) { op.Attr("operand0", 1); }),
              Eq(std::nullopt));
  EXPECT_THAT(WhyAfter([](InstructionBuilder&, B&, TensorId) {}), Optional(HasSubstr("operand0")));
  EXPECT_THAT(WhyAfter([](InstructionBuilder& op, B&, TensorId) {
                op.Attr("operand0", 1).Attr("op1", "frobnicate").Attr("operand1", 1);
              }),
              Optional(HasSubstr("\"frobnicate\"")));
  EXPECT_THAT(WhyAfter([](InstructionBuilder& op, B&, TensorId) {
                op.Attr("operand0", 1).Attr("saturate", true);
              }),
              Optional(HasSubstr("attribute \"saturate\"")));
  EXPECT_THAT(
      WhyAfter([](InstructionBuilder& op, B& b, TensorId u) { op.In("operand0", b.Whole(u)); }),
      Optional(HasSubstr("3 elements for 2 rows")));
  EXPECT_THAT(WhyAfter([](InstructionBuilder& op, B& b, TensorId u) {
                op.Attr("operand0", 1).In("mask", b.Whole(u));
              }),
              Optional(HasSubstr("input \"mask\"")));
  EXPECT_THAT(WhyAfter([](InstructionBuilder& op, B& b, TensorId u) {
                op.InList("operand0", {b.Whole(u), b.Whole(u)});
              }),
              Optional(HasSubstr("list")));
}

TEST(WhyOpaque, AnUnknownOperationIsOne) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {2, 4});
  b.Instruction("frobnicate").Out("dst", b.Whole(t));
  const Kernel kernel = b.Build();
  EXPECT_TRUE(IsOpaque(kernel, Only(kernel)));
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)), Optional(HasSubstr("\"frobnicate\"")));
}

TEST(WhyOpaque, ContinuingAnEarlierReductionIsOne) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {2, 4});
  const TensorId s = b.Sbuf("s", DType::kFloat32, {2, 1});
  b.Instruction("activation_reduce")
      .Out("dst", b.Whole(t))
      .Out("reduce_res", b.Whole(s))
      .In("data", b.Whole(t))
      .Attr("op", "exp")
      .Attr("reduce_op", "add")
      .Attr("reduce_cmd", "reduce");
  const Kernel kernel = b.Build();
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)), Optional(HasSubstr("reduce_cmd")));
}

}  // namespace
}  // namespace spillway
