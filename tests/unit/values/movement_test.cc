// Copies, transposes and matrix products against their formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/values/numeric_ops.h"
#include "tests/unit/values/test_memory.h"

namespace spillway {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

/// Every code of a type, so that NaNs and subnormals take part.
std::vector<std::byte> Ramp(std::size_t bytes) {
  std::vector<std::byte> ramp(bytes);
  for (std::size_t i = 0; i < bytes; ++i) ramp[i] = static_cast<std::byte>(i * 37 + i / 256);
  return ramp;
}

TEST(Copy, EqualTypesKeepEveryBit) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kFloat8E4m3, DType::kInt32}) {
    KernelBuilder b("k", "trn2");
    const TensorId from = b.Dram("from", dtype, {4, 64}, Role::kInput);
    const TensorId tile = b.Sbuf("tile", dtype, {4, 64});
    const TensorId last = b.Sbuf("last", dtype, {4, 64});
    b.Copy(b.Whole(tile), b.Whole(from));
    b.Instruction("tensor_copy").Out("dst", b.Whole(last)).In("src", b.Whole(tile));
    const Kernel kernel = b.Build();
    TestMemory memory(kernel);
    memory.SetBytes(from, Ramp(memory.Bytes(from).size()));
    RunAll(kernel, memory);
    EXPECT_EQ(memory.Bytes(last), memory.Bytes(from)) << DTypeName(dtype);
  }
}

TEST(Copy, DifferentTypesGoThroughFloat32) {
  KernelBuilder b("k", "trn2");
  const TensorId from = b.Sbuf("from", DType::kFloat32, {1, 4});
  const TensorId to = b.Sbuf("to", DType::kInt8, {1, 4});
  b.Instruction("tensor_copy")
      .Out("dst", b.Whole(to))
      .In("src", b.Whole(from))
      .Attr("dtype", "bfloat16");
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetFloats(from, {1.5f, -2.5f, 300.0f, std::numeric_limits<float>::quiet_NaN()});
  RunAll(kernel, memory);
  EXPECT_THAT(memory.Floats(to), ElementsAre(2, -2, 127, 0));
}

TEST(Copy, AReinterpretedSourceIsCopiedBitByBit) {
  // The four bytes of each float32 scale stand behind the quantized row.
  KernelBuilder b("k", "trn2");
  const TensorId scale = b.Sbuf("scale", DType::kFloat32, {2, 1});
  const TensorId out = b.Dram("out", DType::kFloat8E4m3, {2, 12}, Role::kOutput);
  b.Copy(b.Whole(out).Pattern(8, {{12, 2}, {1, 4}}),
         b.Whole(scale).As(DType::kFloat8E4m3).Elements(0, 4));
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  memory.SetFloats(scale, {0.1f, std::numeric_limits<float>::quiet_NaN()});
  RunAll(kernel, memory);
  const std::vector<std::byte> bytes = memory.Bytes(out);
  const std::vector<std::byte> scales = memory.Bytes(scale);
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bytes[row * 12 + 8 + i], scales[row * 4 + i]);
  }
  EXPECT_EQ(bytes[0], std::byte{0xee});  // the rest of the row is left alone
}

TEST(Copy, ADifferenceInElementsIsOpaque) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {1, 4});
  b.Instruction("tensor_copy").Out("dst", b.Whole(t)).In("src", b.Whole(t).Elements(0, 3));
  const Kernel kernel = b.Build();
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)), Optional(HasSubstr("3 and 4 elements")));
}

TEST(Transpose, TwoDimensions) {
  KernelBuilder b("k", "trn2");
  const TensorId from = b.Sbuf("from", DType::kBfloat16, {5, 70});
  const TensorId to = b.Sbuf("to", DType::kBfloat16, {70, 5});
  const TensorId dram = b.Dram("dram", DType::kBfloat16, {5, 70}, Role::kInput);
  const TensorId from_dram = b.Sbuf("from_dram", DType::kBfloat16, {70, 5});
  const TensorId by_pe = b.Psum("by_pe", DType::kBfloat16, {70, 5});
  b.Instruction("dma_transpose").Out("dst", b.Whole(to)).In("src", b.Whole(from));
  b.Instruction("dma_transpose").Out("dst", b.Whole(from_dram)).In("src", b.Whole(dram));
  b.Instruction("nc_transpose").Out("dst", b.Whole(by_pe)).In("data", b.Whole(from));
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  const std::vector<float> source = memory.Randomize(from, 1);
  memory.SetFloats(dram, source);
  RunAll(kernel, memory);
  for (std::size_t p = 0; p < 5; ++p) {
    for (std::size_t f = 0; f < 70; ++f) {
      ASSERT_EQ(memory.Floats(to)[f * 5 + p], source[p * 70 + f]);
    }
  }
  EXPECT_EQ(memory.Bytes(from_dram), memory.Bytes(to));
  EXPECT_EQ(memory.Bytes(by_pe), memory.Bytes(to));
}

TEST(Transpose, ThreeDimensionsKeepTheMiddleOne) {
  constexpr std::size_t kP = 6, kB = 4, kF = 9;
  KernelBuilder b("k", "trn2");
  const TensorId from = b.Sbuf("from", DType::kFloat32, {kP, kB, kF});
  const TensorId dram = b.Dram("dram", DType::kFloat32, {kP, kB, kF}, Role::kInput);
  const TensorId to = b.Sbuf("to", DType::kFloat32, {kF, kB, kP});
  const TensorId from_dram = b.Sbuf("from_dram", DType::kFloat32, {kF, kB, kP});
  b.Instruction("dma_transpose").Out("dst", b.Whole(to)).In("src", b.Whole(from));
  b.Instruction("dma_transpose")
      .Out("dst", b.Whole(from_dram))
      .In("src", b.Whole(dram).Pattern(0, {{kB * kF, kP}, {kF, kB}, {1, kF}}));
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  const std::vector<float> source = memory.Randomize(from, 1);
  memory.SetFloats(dram, source);
  RunAll(kernel, memory);
  const std::vector<float> got = memory.Floats(to);
  for (std::size_t p = 0; p < kP; ++p) {
    for (std::size_t m = 0; m < kB; ++m) {
      for (std::size_t f = 0; f < kF; ++f) {
        ASSERT_EQ(got[(f * kB + m) * kP + p], source[(p * kB + m) * kF + f]);
      }
    }
  }
  EXPECT_EQ(memory.Bytes(from_dram), memory.Bytes(to));
}

TEST(Transpose, FourDimensionsKeepTheTwoInTheMiddle) {
  constexpr std::size_t kP = 3, kB = 2, kC = 4, kF = 5;
  KernelBuilder b("k", "trn2");
  const TensorId from = b.Sbuf("from", DType::kInt16, {kP, kB, kC, kF});
  const TensorId to = b.Sbuf("to", DType::kInt16, {kF, kB, kC, kP});
  b.Instruction("dma_transpose")
      .Out("dst", b.Whole(to))
      .In("src", b.Whole(from))
      .Attr("axes", AttrValue::List{3, 1, 2, 0});
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  std::vector<float> source(kP * kB * kC * kF);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<float>(i);
  memory.SetFloats(from, source);
  RunAll(kernel, memory);
  const std::vector<float> got = memory.Floats(to);
  for (std::size_t p = 0; p < kP; ++p) {
    for (std::size_t m = 0; m < kB * kC; ++m) {
      for (std::size_t f = 0; f < kF; ++f) {
        ASSERT_EQ(got[(f * kB * kC + m) * kP + p], source[(p * kB * kC + m) * kF + f]);
      }
    }
  }
}

TEST(Transpose, AnotherPermutationIsOpaque) {
  KernelBuilder b("k", "trn2");
  const TensorId from = b.Sbuf("from", DType::kInt16, {2, 2, 2});
  b.Instruction("dma_transpose")
      .Out("dst", b.Whole(from))
      .In("src", b.Whole(from))
      .Attr("axes", AttrValue::List{1, 0, 2});
  const Kernel kernel = b.Build();
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)), Optional(HasSubstr("axes")));
}

/// A product of stationary [kK, kM] and moving [kK, kN].
class Matmul : public ::testing::Test {
 protected:
  static constexpr std::size_t kK = 100, kM = 20, kN = 50;

  void Build(DType dst, bool accumulate) {
    KernelBuilder b("k", "trn2");
    stationary_ = b.Sbuf("stationary", DType::kBfloat16, {kK, kM});
    moving_ = b.Sbuf("moving", DType::kBfloat16, {kK, kN});
    dst_ = b.Psum("dst", dst, {kM, kN});
    b.Instruction("nc_matmul")
        .Out("dst", b.Whole(dst_))
        .In("stationary", b.Whole(stationary_))
        .In("moving", b.Whole(moving_))
        .Attr("accumulate", accumulate);
    kernel_ = b.Build();
  }

  double Dot(const std::vector<float>& s, const std::vector<float>& m, std::size_t row,
             std::size_t column) {
    double sum = 0.0;
    for (std::size_t k = 0; k < kK; ++k)
      sum += double{s[k * kM + row]} * double{m[k * kN + column]};
    return sum;
  }

  Kernel kernel_;
  TensorId stationary_, moving_, dst_;
};

TEST_F(Matmul, ContractsThePartitions) {
  Build(DType::kFloat32, false);
  TestMemory memory(kernel_);
  const std::vector<float> s = memory.Randomize(stationary_, 1);
  const std::vector<float> m = memory.Randomize(moving_, 2);
  RunAll(kernel_, memory);
  const std::vector<float> got = memory.Floats(dst_);
  for (std::size_t row = 0; row < kM; ++row) {
    for (std::size_t column = 0; column < kN; ++column) {
      ASSERT_NEAR(got[row * kN + column], Dot(s, m, row, column), 1e-3);
    }
  }
}

TEST_F(Matmul, AccumulationAddsInFloat32AndRoundsToTheBank) {
  Build(DType::kBfloat16, true);
  TestMemory memory(kernel_);
  const std::vector<float> s = memory.Randomize(stationary_, 1);
  const std::vector<float> m = memory.Randomize(moving_, 2);
  const std::vector<float> old = memory.Randomize(dst_, 3);
  RunAll(kernel_, memory);
  const std::vector<float> got = memory.Floats(dst_);
  for (std::size_t row = 0; row < kM; ++row) {
    for (std::size_t column = 0; column < kN; ++column) {
      const double want = Dot(s, m, row, column) + old[row * kN + column];
      ASSERT_NEAR(got[row * kN + column], want, 1e-3 + std::fabs(want) / 256);
    }
  }
}

TEST_F(Matmul, TheSameOperandsGiveTheSameBitsWhereverTheyLie) {
  Build(DType::kFloat32, false);
  TestMemory first(kernel_);
  TestMemory second(kernel_);
  for (TestMemory* memory : {&first, &second}) {
    memory->Randomize(stationary_, 1);
    memory->Randomize(moving_, 2);
    RunAll(kernel_, *memory);
  }
  EXPECT_EQ(first.Bytes(dst_), second.Bytes(dst_));
}

TEST(MatmulTranspose, MovesInfinitiesAndNansPastAnIdentity) {
  KernelBuilder b("k", "trn2");
  const TensorId data = b.Sbuf("data", DType::kBfloat16, {3, 2});
  const TensorId identity = b.Sbuf("identity", DType::kBfloat16, {3, 3});
  const TensorId dst = b.Psum("dst", DType::kBfloat16, {2, 3});
  b.Instruction("nc_matmul")
      .Out("dst", b.Whole(dst))
      .In("stationary", b.Whole(data))
      .In("moving", b.Whole(identity))
      .Attr("accumulate", false)
      .Attr("is_transpose", true);
  const Kernel kernel = b.Build();
  TestMemory memory(kernel);
  const float infinity = std::numeric_limits<float>::infinity();
  memory.SetFloats(data, {1, infinity, 3, 4, 5, 6});
  memory.SetFloats(identity, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  RunAll(kernel, memory);
  EXPECT_THAT(memory.Floats(dst), ElementsAre(1, 3, 5, infinity, 4, 6));
}

TEST(MatmulChecks, DoubleModesAreOpaque) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kBfloat16, {2, 2});
  const TensorId dst = b.Psum("dst", DType::kFloat32, {2, 2});
  b.Instruction("nc_matmul")
      .Out("dst", b.Whole(dst))
      .In("stationary", b.Whole(t))
      .In("moving", b.Whole(t))
      .Attr("perf_mode", "double_row");
  const Kernel kernel = b.Build();
  EXPECT_THAT(WhyOpaque(kernel, Only(kernel)), Optional(HasSubstr("double_row")));
}

}  // namespace
}  // namespace spillway
