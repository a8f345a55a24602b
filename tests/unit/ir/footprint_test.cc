#include "model/alloc/ir/footprint.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

using Runs = std::vector<Interval<ByteOffset>>;

Runs Bytes2(std::initializer_list<std::pair<int, int>> pairs) {
  Runs runs;
  for (const auto& [begin, end] : pairs) runs.push_back({ByteOffset(begin), ByteOffset(end)});
  return runs;
}

Runs Of(std::int64_t offset, std::vector<FreeDim> dims, int element = 1,
        std::size_t max_runs = 64) {
  return RunsOf(offset, dims, Bytes(element), max_runs);
}

// 0 1 2 3 4 5 6 7 8 9
// # # . . # # . . # #     two of every four
TEST(RunsOfTest, AStridedPatternIsOneRunARow) {
  EXPECT_EQ(Of(0, {{4, 3}, {1, 2}}), Bytes2({{0, 2}, {4, 6}, {8, 10}}));
  EXPECT_EQ(Of(3, {{4, 3}, {1, 2}}, 4), Bytes2({{12, 20}, {28, 36}, {44, 52}}));
}

TEST(RunsOfTest, RowsThatTouchAreOneRun) {
  EXPECT_EQ(Of(2, {{8, 4}, {1, 8}}), Bytes2({{2, 34}}));
  EXPECT_EQ(Of(0, {{1, 3}, {2, 3}}), Bytes2({{0, 7}}));  // 0 2 4, 1 3 5, 2 4 6
}

TEST(RunsOfTest, ABroadcastTouchesItsElementsOnce) {
  EXPECT_EQ(Of(5, {{0, 100}}), Bytes2({{5, 6}}));
  EXPECT_EQ(Of(5, {{0, 100}, {1, 4}}), Bytes2({{5, 9}}));
  EXPECT_EQ(Of(5, {{1, 4}, {0, 100}}), Bytes2({{5, 9}}));
}

TEST(RunsOfTest, NegativeStepsReachBack) {
  EXPECT_EQ(Of(9, {{-1, 4}}), Bytes2({{6, 10}}));
  EXPECT_EQ(Of(9, {{-4, 3}, {1, 2}}), Bytes2({{1, 3}, {5, 7}, {9, 11}}));
}

TEST(RunsOfTest, MoreRunsThanAllowedGiveTheHull) {
  EXPECT_EQ(Of(0, {{4, 8}, {1, 2}}, 1, 8).size(), 8u);
  EXPECT_EQ(Of(0, {{4, 8}, {1, 2}}, 1, 7), Bytes2({{0, 30}}));
}

RC_GTEST_PROP(RunsOfProperty, RunsAreTheBytesOfTheElementsOneByOne, ()) {
  const auto draw = [](int low, int high) { return *rc::gen::inRange<std::int64_t>(low, high); };
  std::vector<FreeDim> dims;
  for (std::int64_t n = draw(0, 4); n > 0; --n) dims.push_back({draw(-6, 7), draw(1, 5)});
  const std::int64_t element = draw(1, 5);
  std::set<std::int64_t> elements = {200};
  for (const FreeDim& dim : dims) {
    std::set<std::int64_t> next;
    for (const std::int64_t e : elements) {
      for (std::int64_t i = 0; i < dim.count; ++i) next.insert(e + i * dim.step);
    }
    elements = std::move(next);
  }
  std::set<std::int64_t> bytes;
  for (const std::int64_t e : elements) {
    for (std::int64_t b = 0; b < element; ++b) bytes.insert(e * element + b);
  }
  std::set<std::int64_t> found;
  std::int64_t end_before = INT64_MIN;
  for (const auto& run : RunsOf(200, dims, Bytes(element), 4096)) {
    RC_ASSERT(run.begin.value > end_before);  // ascending, disjoint, not touching
    end_before = run.end.value;
    for (std::int64_t b = run.begin.value; b < run.end.value; ++b) found.insert(b);
  }
  RC_ASSERT(found == bytes);
}

// An index as the kernel format says it: constant + coefficient * loop, modulo something or not.
struct PlainIndex {
  std::int64_t constant = 0;
  std::int64_t coefficient = 0;
  std::int64_t modulus = 0;

  std::int64_t At(std::int64_t i) const {
    const std::int64_t sum = constant + coefficient * i;
    return modulus == 0 ? sum : sum % modulus;
  }
  AffineExpr Expr() const {
    AffineExpr expr(constant);
    expr.terms.push_back({LoopId(0), coefficient});
    expr.modulus = modulus;
    return Normalized(std::move(expr));
  }
};

// Blocks, partitions and bytes that an access touches, one by one.
RC_GTEST_PROP(FootprintProperty, IsWhatItsElementsTouchOneByOne, ()) {
  const auto draw = [](std::int64_t low, std::int64_t high) {
    return *rc::gen::inRange<std::int64_t>(low, high);
  };
  const auto index = [&](std::int64_t most) {
    return PlainIndex{draw(0, 5), draw(0, 4), draw(0, 2) == 0 ? 0 : draw(1, most + 1)};
  };
  Kernel kernel;
  Tensor tensor;
  tensor.space = *rc::gen::element(Space::kSbuf, Space::kPsum, Space::kDram);
  tensor.dtype = *rc::gen::element(DType::kUint8, DType::kBfloat16, DType::kFloat32);
  tensor.shape = {128, 4096};
  for (std::int64_t n = draw(0, 3); n > 0; --n) tensor.blocks.push_back(draw(1, 5));
  const bool in_dram = tensor.space == Space::kDram;
  Operand operand;
  operand.tensor = kernel.tensors.push_back(tensor);
  if (draw(0, 3) == 0) operand.as = DType::kInt16;
  const std::int64_t element = operand.as ? 2 : ElementSize(tensor.dtype).value;
  const std::int64_t i = draw(0, 6);
  std::int64_t block = 0;
  for (const std::int64_t size : tensor.blocks) {
    PlainIndex which = index(size);
    which.modulus = size;  // inside the tensor
    operand.block.push_back(which.Expr());
    block = block * size + which.At(i);
  }
  const PlainIndex partition = index(64);
  const PlainIndex offset = index(90);
  if (!in_dram) {
    operand.partition_start = partition.Expr();
    operand.partition_count = draw(1, 33);
  }
  operand.free_offset = offset.Expr();
  std::set<std::int64_t> elements = {offset.At(i)};
  for (std::int64_t n = draw(0, 4); n > 0; --n) {
    const FreeDim dim{draw(0, 9), draw(1, 5)};
    operand.free_dims.push_back(dim);
    std::set<std::int64_t> next;
    for (const std::int64_t e : elements) {
      for (std::int64_t k = 0; k < dim.count; ++k) next.insert(e + k * dim.step);
    }
    elements = std::move(next);
  }
  std::set<std::int64_t> bytes;
  for (const std::int64_t e : elements) {
    for (std::int64_t b = 0; b < element; ++b) bytes.insert(e * element + b);
  }
  const Access access{operand.tensor, &operand, "x", false, false};
  const Footprint found = FootprintOf(kernel, access, std::vector<std::int64_t>{i});
  std::set<std::int64_t> found_bytes;
  for (const auto& run : found.runs) {
    for (std::int64_t b = run.begin.value; b < run.end.value; ++b) found_bytes.insert(b);
  }
  RC_ASSERT(found.tensor == operand.tensor);
  RC_ASSERT(found.block == block);
  RC_ASSERT(found.partitions.begin.value == (in_dram ? 0 : partition.At(i)));
  RC_ASSERT(found.partitions.end - found.partitions.begin ==
            PartitionCount(in_dram ? 1 : operand.partition_count));
  RC_ASSERT(found_bytes == bytes);
}

struct Footprints {
  Kernel kernel;
  std::vector<Access> accesses;
};

Footprint OfAccess(const Kernel& kernel, std::size_t access,
                   std::vector<std::int64_t> loop_values) {
  return FootprintOf(kernel, AccessesOf(kernel.instructions[InstructionId(0)]).at(access),
                     loop_values);
}

TEST(FootprintTest, FollowsTheLoopsThroughBlocksPartitionsAndElements) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kBfloat16, {64, 100}, {.blocks = {2, 3}});
  const TensorId u = b.Sbuf("u", DType::kBfloat16, {64, 100});
  b.OpenLoop("i", 0, 4);
  b.Copy(b.Whole(t)
             .Block({b.Index("i") % 2, 1})
             .Partitions(b.Index("i") * 8, 16)
             .Elements(b.Index("i") * 10, 10),
         b.Whole(u));
  b.CloseLoop();
  const Footprint write = OfAccess(b.Build(), 1, {3});
  EXPECT_EQ(write.tensor, t);
  EXPECT_EQ(write.block, 1 * 3 + 1);
  EXPECT_EQ(write.partitions, (Interval<Partition>{Partition(24), Partition(40)}));
  EXPECT_EQ(write.runs, Bytes2({{60, 80}}));
}

TEST(FootprintTest, CountsInTheReinterpretedType) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {64, 8});
  b.Instruction("memset").Out("dst", b.Whole(t).As(DType::kUint8).Elements(4, 8));
  const Kernel kernel = b.Build();
  EXPECT_EQ(OfAccess(kernel, 0, {}).runs, Bytes2({{4, 12}}));
  EXPECT_EQ(OperandDType(kernel, kernel.instructions[InstructionId(0)].outputs[0].operands[0]),
            DType::kUint8);
}

TEST(FootprintTest, AnIndirectOperandMayTouchAllOfItsTensor) {
  KernelBuilder b("k", "trn2");
  const TensorId table = b.Dram("table", DType::kFloat32, {10, 4}, Role::kInput);
  const TensorId rows = b.Sbuf("rows", DType::kInt32, {64, 1});
  const TensorId t = b.Sbuf("t", DType::kFloat32, {64, 4}, {.blocks = {2}});
  b.Copy(b.Whole(t).Block({0}).Through("rows"), b.Whole(table).Elements(0, 4).Through("rows"));
  const Kernel kernel = b.Build();
  EXPECT_EQ(OfAccess(kernel, 0, {}).runs, Bytes2({{0, 160}}));
  EXPECT_EQ(OfAccess(kernel, 1, {}).tensor, rows);
  EXPECT_EQ(OfAccess(kernel, 1, {}).runs, Bytes2({{0, 4}}));
  EXPECT_EQ(OfAccess(kernel, 3, {}).block, -1);
  EXPECT_EQ(OfAccess(kernel, 3, {}).partitions, (Interval<Partition>{Partition(0), Partition(64)}));
}

TEST(FootprintTest, ElementCountVisitsBroadcasts) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {64, 8});
  const TensorId x = b.Dram("x", DType::kFloat32, {8, 8});
  EXPECT_EQ(ElementCount(b.Whole(t).Pattern(0, {{0, 5}, {1, 8}})), 64 * 40);
  EXPECT_EQ(ElementCount(b.Whole(x)), 64);
}

}  // namespace
}  // namespace spillway
