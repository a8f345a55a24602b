// One pass against gathering and scattering.
#include "sim/values/copy_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/property/run_property.h"
#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

/// Random numbers out of bytes, so that a case shrinks; 0 once they are used up.
class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::int64_t Below(std::int64_t limit) {
    const std::int64_t byte = next_ < bytes_.size() ? bytes_[next_++] : 0;
    return byte % limit;
  }
  /// Some divisor of `n`.
  std::int64_t Divisor(std::int64_t n) {
    std::int64_t divisor = 1 + Below(n);
    while (n % divisor != 0) --divisor;
    return divisor;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

struct Side {
  TensorId tensor;
  Operand operand;
};

/// A tensor of its own and an operand of `bytes` bytes in it: DRAM or partitions, up to three
/// dimensions of any steps, gaps, repeats and reversals among them.
Side AddSide(KernelBuilder& b, const std::string& name, std::int64_t bytes, DType dtype,
             Choices& choices) {
  std::int64_t left = bytes / ElementSize(dtype).value;
  const bool dram = choices.Below(2) == 0;
  const std::int64_t rows = dram ? 1 : choices.Divisor(left);
  left /= rows;
  std::vector<FreeDim> dims;
  Interval<std::int64_t> reach{0, 0};
  std::int64_t run = 1;
  for (int d = 0; d < 3; ++d) {
    // The last dimension takes what is left.
    const std::int64_t n = d < 2 ? choices.Divisor(left) : left;
    static constexpr std::int64_t kSteps[] = {1, 0, 2, -1, 3, -5};
    // Mostly the step that makes the dimensions follow each other.
    const std::int64_t step = choices.Below(2) == 0 ? run : kSteps[choices.Below(6)];
    dims.insert(dims.begin(), {step, n});
    (step < 0 ? reach.begin : reach.end) += step * (n - 1);
    left /= n;
    run *= n;
  }
  const std::int64_t offset = choices.Below(4) - reach.begin;
  const std::int64_t columns = offset + reach.end + 1 + choices.Below(3);
  if (dram) {
    const TensorId tensor = b.Dram(name, dtype, {columns});
    return {tensor, b.Whole(tensor).Pattern(offset, dims)};
  }
  const std::int64_t first = choices.Below(3);
  const TensorId tensor = b.Sbuf(name, dtype, {first + rows, columns});
  return {tensor, b.Whole(tensor).Partitions(first, rows).Pattern(offset, dims)};
}

std::vector<std::byte> Ramp(std::size_t size, std::size_t step) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * step + i / 256);
  return bytes;
}

TEST(CopyPattern, DoesWhatScatteringTheGatheredBytesDoes) {
  Shares shares;
  CheckProperty("copy pattern", 4000, [&](const std::vector<std::uint8_t>& bytes) {
    Choices choices(bytes);
    static constexpr DType kTypes[] = {DType::kUint8, DType::kInt16, DType::kFloat32};
    const DType from_type = kTypes[choices.Below(3)];
    const DType to_type = choices.Below(4) == 3 ? kTypes[choices.Below(3)] : from_type;
    const std::int64_t size = 4 * (1 + choices.Below(2) * 11) * (1 + choices.Below(6));
    KernelBuilder b("k", "trn2");
    const Side from = AddSide(b, "from", size, from_type, choices);
    const Side to = AddSide(b, "to", size, to_type, choices);
    const Kernel kernel = b.Build();
    TestMemory once(kernel);
    TestMemory twice(kernel);
    for (TestMemory* memory : {&once, &twice}) {
      memory->SetBytes(from.tensor, Ramp(memory->Bytes(from.tensor).size(), 37));
      memory->SetBytes(to.tensor, Ramp(memory->Bytes(to.tensor).size(), 101));
    }
    const Pattern source = PatternOf(kernel, from.operand, {});
    const Pattern target = PatternOf(kernel, to.operand, {});
    CopyPattern(source, target, once);
    Scatter(target, Gather(source, twice), twice);
    RC_ASSERT(once.Bytes(to.tensor) == twice.Bytes(to.tensor));
    RC_ASSERT(once.Bytes(from.tensor) == twice.Bytes(from.tensor));
    shares.Case();
    shares.Count("runs on both sides", source.is_run() && target.is_run());
    shares.Count("several vectors", !source.outer.empty() || !target.outer.empty());
    shares.Count("different rows", source.rows != target.rows);
    shares.Count("different elements", source.element != target.element);
  });
  shares.AtLeast("runs on both sides", 20);
  shares.AtLeast("several vectors", 30);
  shares.AtLeast("different rows", 30);
  shares.AtLeast("different elements", 5);
}

TEST(CopyPattern, MovesBetweenPartsOfOneTensor) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kInt16, {2, 12});
  const Operand left = b.Whole(t).Elements(0, 5);
  const Operand right = b.Whole(t).Pattern(11, {{-1, 5}});
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetFloats(
      t, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31});
  CopyPattern(PatternOf(kernel, left, {}), PatternOf(kernel, right, {}), memory);
  EXPECT_THAT(memory.Floats(t),
              ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 4, 3, 2, 1, 0,  //
                                     20, 21, 22, 23, 24, 25, 26, 24, 23, 22, 21, 20));
}

TEST(CopyPattern, OfNothingTouchesNothing) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kInt16, {2, 4});
  Operand none = b.Whole(t);
  none.free_dims = {{1, 0}};
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  const std::vector<std::byte> before = memory.Bytes(t);
  CopyPattern(PatternOf(kernel, none, {}), PatternOf(kernel, none, {}), memory);
  EXPECT_EQ(memory.Bytes(t), before);
}

TEST(CopyPattern, BetweenDifferentSizesThrows) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kInt16, {2, 8});
  const Operand four = b.Whole(t).Elements(0, 4);
  const Operand three = b.Whole(t).Elements(5, 3);
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  EXPECT_THROW(CopyPattern(PatternOf(kernel, four, {}), PatternOf(kernel, three, {}), memory),
               ContractViolation);
}

TEST(Patterns, HullsReachFromTheFirstByteToTheLast) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kInt16, {2, 60});
  const Operand back = b.Whole(t).Pattern(48, {{-12, 5}, {2, 6}});
  Operand none = b.Whole(t);
  none.free_dims = {{1, 0}};
  const Kernel kernel = b.Build();
  EXPECT_EQ(HullOf(PatternOf(kernel, back, {})), (Interval<std::int64_t>{0, 2 * 59}));
  EXPECT_TRUE(HullOf(PatternOf(kernel, none, {})).empty());
}

}  // namespace
}  // namespace spillway
