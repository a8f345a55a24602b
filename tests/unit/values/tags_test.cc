#include "sim/values/tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/values/numeric_ops.h"
#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

/// What may differ between two kernels that compute the same.
struct Spelling {
  std::string prefix;          ///< of every name
  std::int64_t first_row = 0;  ///< of the source
  std::vector<std::int64_t> blocks = {};
  std::string op = "frobnicate";
  AttrValue scale = 1.5;
  std::string position = "kernel.py:1";
};

constexpr std::int64_t kRows = 4;
constexpr std::int64_t kColumns = 100;

struct TaggedKernel {
  Kernel kernel;
  TensorId x, y, r, s;
};

/// An unknown operation on a strided x and a contiguous y, with two results.
TaggedKernel Build(const Spelling& spelling) {
  KernelBuilder b("k", "trn2");
  if (!spelling.prefix.empty()) b.Sbuf("first", DType::kInt8, {1, 1});  // so that ids move too
  const auto name = [&](const char* n) { return spelling.prefix + n; };
  const TensorId x = b.Sbuf(name("x"), DType::kInt16, {kRows + spelling.first_row, 2 * kColumns},
                            {.blocks = spelling.blocks});
  const TensorId y = b.Sbuf(name("y"), DType::kFloat32, {kRows, kColumns});
  const TensorId r = b.Sbuf(name("r"), DType::kFloat32, {kRows, kColumns});
  const TensorId s = b.Sbuf(name("s"), DType::kFloat32, {kRows, kColumns});
  OperandBuilder source = b.Whole(x).Partitions(spelling.first_row, kRows);
  if (!spelling.blocks.empty()) source.Block({AffineExpr(spelling.blocks.front() - 1)});
  b.Instruction(spelling.op)
      .Out("dst", b.Whole(r))
      .Out("other", b.Whole(s))
      .In("data", source.Pattern(0, {{2, kColumns}}))
      .In("more", b.Whole(y))
      .Attr("scale", spelling.scale)
      .Source(spelling.position);
  return {b.Build(), x, y, r, s};
}

/// Result bytes where the elements that x and y supply count upwards.
std::vector<std::byte> Tags(const Spelling& spelling) {
  const TaggedKernel k = Build(spelling);
  TestMemory memory(k.kernel);
  std::vector<float> y(kRows * kColumns);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i);
  memory.SetFloats(k.y, y);
  const std::int64_t blocks = spelling.blocks.empty() ? 1 : spelling.blocks.front();
  std::vector<float> x;
  for (std::int64_t row = 0; row < blocks * (kRows + spelling.first_row); ++row) {
    const std::int64_t used =
        row - (blocks - 1) * (kRows + spelling.first_row) - spelling.first_row;
    for (std::int64_t c = 0; c < 2 * kColumns; ++c)
      x.push_back(static_cast<float>(used * 1000 + c));
  }
  memory.SetFloats(k.x, x);
  RunAll(k.kernel, memory, ValueMode::kTags);
  std::vector<std::byte> bytes = memory.Bytes(k.r);
  const std::vector<std::byte> others = memory.Bytes(k.s);
  bytes.insert(bytes.end(), others.begin(), others.end());
  return bytes;
}

TEST(Tags, NamesIdsBlocksPartitionsAndPositionsDoNotEnter) {
  const std::vector<std::byte> want = Tags({});
  EXPECT_EQ(Tags({.prefix = "reload_of_"}), want);
  EXPECT_EQ(Tags({.prefix = "", .first_row = 3}), want);
  EXPECT_EQ(Tags({.prefix = "", .blocks = {5}}), want);
  EXPECT_EQ(Tags({.prefix = "", .position = "elsewhere.py:9"}), want);
}

TEST(Tags, OperationAndAttributesEnter) {
  const std::vector<std::byte> want = Tags({});
  EXPECT_NE(Tags({.prefix = "", .op = "frobnicate2"}), want);
  EXPECT_NE(Tags({.prefix = "", .scale = 1.25}), want);
  EXPECT_NE(Tags({.prefix = "", .scale = "1.5"}), want);
  EXPECT_NE(Tags({.prefix = "", .scale = AttrValue::List{1.5}}), want);
}

TEST(Tags, EveryInputBitChangesBothResultsAndUnusedBytesChangeNone) {
  const TaggedKernel k = Build({});
  TestMemory memory(k.kernel);
  memory.Randomize(k.x, 1);
  memory.Randomize(k.y, 2);
  RunAll(k.kernel, memory, ValueMode::kTags);
  const std::vector<std::byte> r = memory.Bytes(k.r);
  const std::vector<std::byte> s = memory.Bytes(k.s);
  EXPECT_NE(r, s);
  for (const TensorId input : {k.x, k.y}) {
    std::vector<std::byte> bytes = memory.Bytes(input);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const bool read = input == k.y || (i / 2) % 2 == 0;  // x's odd elements are skipped
      const std::byte flip = static_cast<std::byte>(1u << (i % 8));
      bytes[i] ^= flip;
      memory.SetBytes(input, bytes);
      RunAll(k.kernel, memory, ValueMode::kTags);
      ASSERT_EQ(memory.Bytes(k.r) != r, read) << i;
      ASSERT_EQ(memory.Bytes(k.s) != s, read) << i;
      bytes[i] ^= flip;
    }
    memory.SetBytes(input, bytes);
  }
}

TEST(Tags, ElementsDifferFromOneAnother) {
  const std::vector<std::byte> bytes = Tags({});
  std::set<std::vector<std::byte>> words;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    words.insert({bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  bytes.begin() + static_cast<std::ptrdiff_t>(at + 4)});
  }
  EXPECT_GE(words.size(), bytes.size() / 4 - 1);  // one collision of 800 words is chance enough
}

TEST(Tags, AccumulationReadsItsDestination) {
  for (const bool accumulate : {false, true}) {
    KernelBuilder b("k", "trn2");
    const TensorId x = b.Sbuf("x", DType::kBfloat16, {4, 4});
    const TensorId dst = b.Psum("dst", DType::kFloat32, {4, 4});
    b.Instruction("nc_matmul")
        .Out("dst", b.Whole(dst))
        .In("stationary", b.Whole(x))
        .In("moving", b.Whole(x))
        .Attr("accumulate", accumulate);
    const Kernel kernel = b.Build();
    TestMemory first(kernel);
    TestMemory second(kernel);
    first.Randomize(x, 1);
    second.Randomize(x, 1);
    first.Randomize(dst, 2);
    second.Randomize(dst, 3);
    RunAll(kernel, first, ValueMode::kTags);
    RunAll(kernel, second, ValueMode::kTags);
    EXPECT_EQ(first.Bytes(dst) == second.Bytes(dst), !accumulate);
  }
}

TEST(Tags, AnIndirectOperandReadsItsWholeTensor) {
  KernelBuilder b("k", "trn2");
  const TensorId table = b.Dram("table", DType::kBfloat16, {64, 8}, Role::kInput);
  const TensorId dst = b.Sbuf("dst", DType::kBfloat16, {1, 8});
  b.Instruction("dma_copy")
      .Out("dst", b.Whole(dst))
      .In("src", b.Whole(table).Elements(0, 8).Through("scalar"));
  const Kernel kernel = b.Build();
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)),
              ::testing::Optional(::testing::HasSubstr("indirect")));
  TestMemory memory(kernel);
  std::vector<float> values = memory.Randomize(table, 1);
  RunAll(kernel, memory);  // numeric mode falls back to the hash
  const std::vector<std::byte> before = memory.Bytes(dst);
  values.back() += 1.0f;
  memory.SetFloats(table, values);
  RunAll(kernel, memory);
  EXPECT_NE(memory.Bytes(dst), before);
}

TEST(Tags, AnIndirectOutputWritesItsWholeTensor) {
  KernelBuilder b("k", "trn2");
  const TensorId src = b.Sbuf("src", DType::kBfloat16, {1, 8});
  const TensorId table = b.Dram("table", DType::kBfloat16, {64, 8}, Role::kOutput);
  b.Instruction("dma_copy")
      .Out("dst", b.Whole(table).Elements(0, 8).Through("scalar"))
      .In("src", b.Whole(src));
  const Kernel kernel = b.Build();
  TestMemory first(kernel);
  TestMemory second(kernel);
  first.Randomize(src, 1);
  second.Randomize(src, 1);
  second.Randomize(table, 2);
  RunAll(kernel, first);
  RunAll(kernel, second);
  EXPECT_EQ(first.Bytes(table), second.Bytes(table));
}

}  // namespace
}  // namespace spillway
