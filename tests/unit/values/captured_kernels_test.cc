// The captured kernels' operations, and the project's own kernels with loops, as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "sim/values/convert.h"
#include "sim/values/numeric_ops.h"
#include "sim/values/reference_interpreter.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Kernel Captured(const std::string& name) {
  return ReadKernelFile(std::string(SPILLWAY_SOURCE_DIR) + "/traces/captured/" + name +
                        ".kernel.jsonl.zst")
      .value();
}

std::vector<float> Floats(const Kernel& kernel, const NamedData& data, const std::string& name) {
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.name != name) continue;
    const TensorData& found = data.at(name);
    std::vector<float> values(found.bytes.size() /
                              static_cast<std::size_t>(ElementSize(tensor.dtype).value));
    DecodeElements(tensor.dtype, found.bytes, values);
    return values;
  }
  throw std::out_of_range(name);
}

TEST(CapturedKernels, OnlyCopiesThroughUnknownOffsetsHaveNoNumerics) {
  std::map<std::string, int> opaque;
  int kernels = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SPILLWAY_SOURCE_DIR) + "/traces/captured")) {
    if (entry.path().extension() != ".zst") continue;
    ++kernels;
    const Kernel kernel = ReadKernelFile(entry.path().string()).value();
    for (const Instruction& instruction : kernel.instructions) {
      if (const auto why = WhyOpaque(kernel, instruction)) {
        ++opaque[kernel.name + " " + instruction.op + ": " + *why];
      }
    }
  }
  EXPECT_GE(kernels, 15);
  EXPECT_THAT(opaque,
              ElementsAre(Pair("cross_entropy_forward dma_copy: input \"src\" is indirect", 256)));
}

TEST(CapturedKernels, AMatrixProductIsOne) {
  const Kernel kernel = Captured("matmul_basic");
  const Inputs inputs = GenerateInputs(kernel, 5).value();
  const InterpreterReport report = Interpret(kernel, ValueMode::kNumeric, inputs).value();
  EXPECT_THAT(report.uninitialized, IsEmpty());
  const std::vector<float> a = Floats(kernel, inputs, "arg1");  // [128, 64]
  const std::vector<float> b = Floats(kernel, inputs, "arg2");  // [128, 512]
  const std::vector<float> c = Floats(kernel, report.dram, "t2");
  ASSERT_EQ(c.size(), 64u * 512u);
  for (std::size_t m = 0; m < 64; ++m) {
    for (std::size_t n = 0; n < 512; ++n) {
      double want = 0.0;
      for (std::size_t k = 0; k < 128; ++k) want += double{a[k * 64 + m]} * double{b[k * 512 + n]};
      ASSERT_NEAR(c[m * 512 + n], want, 1e-4 + std::fabs(want) / 256);
    }
  }
}

TEST(CapturedKernels, ACumulativeSumIsExactWhereAPlainLoopIs) {
  const Kernel kernel = Captured("cumsum");
  const Inputs inputs = GenerateInputs(kernel, 5).value();
  const InterpreterReport report = Interpret(kernel, ValueMode::kNumeric, inputs).value();
  const std::vector<float> x = Floats(kernel, inputs, "arg1");
  const std::vector<float> y = Floats(kernel, report.dram, "t1");
  ASSERT_EQ(x.size(), y.size());
  float sum = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum = i % 2048 == 0 ? x[i] : sum + x[i];
    ASSERT_EQ(y[i], sum) << i;
  }
}

TEST(CapturedKernels, TheReferenceRepeatsItselfInBothModes) {
  const Kernel kernel = Captured("attention_cte_2k");
  const Inputs inputs = GenerateInputs(kernel, 5).value();
  for (const ValueMode mode : {ValueMode::kNumeric, ValueMode::kTags}) {
    const InterpreterReport first = Interpret(kernel, mode, inputs).value();
    const InterpreterReport second = Interpret(kernel, mode, inputs).value();
    EXPECT_EQ(first.dram, second.dram);
    EXPECT_THAT(first.uninitialized, IsEmpty());
  }
}

TEST(RolledKernels, RunWithoutUninitializedReadsAndWithNumericsThroughout) {
  int kernels = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SPILLWAY_SOURCE_DIR) + "/traces/rolled")) {
    if (entry.path().extension() != ".jsonl") continue;
    ++kernels;
    const Kernel kernel = ReadKernelFile(entry.path().string()).value();
    const InterpreterReport report =
        Interpret(kernel, ValueMode::kNumeric, GenerateInputs(kernel, 1).value()).value();
    EXPECT_THAT(report.uninitialized, IsEmpty()) << kernel.name;
    EXPECT_THAT(report.opaque, IsEmpty()) << kernel.name;
    EXPECT_GT(report.instructions, static_cast<std::int64_t>(kernel.instructions.size()));
  }
  EXPECT_GE(kernels, 5);
}

}  // namespace
}  // namespace spillway
