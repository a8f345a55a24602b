// Kernels allocated by hand: the judges have no objection, the machine computes what the program
// means, and the program what the formula says. A broken one is found.
#include <gmock/gmock.h>

#include <cmath>

#include "sim/tool/pipeline.h"
#include "sim/values/convert.h"
#include "tests/replay/whole_run.h"
#include "traces/allocated_kernels.h"

namespace spillway {
namespace {

std::string FileOf(const std::string& name) {
  return SPILLWAY_SOURCE_DIR "/traces/allocated/" + name + ".kernel.jsonl";
}

KernelRun Replay(const std::string& name, ValueMode values) {
  ToolOptions options;
  options.command = Command::kReplay;
  options.values = values;
  return ReplayKernel(FileOf(name), options, {});
}

struct FileCase {
  std::string name;
  std::int64_t high_water = 0;
  int banks = 0;  ///< that hold something at once
  ValueMode values = ValueMode::kNumeric;
};

class AllocatedFile : public testing::TestWithParam<FileCase> {};

TEST_P(AllocatedFile, PassesAllChecksAndItsDataIsEqual) {
  const FileCase& expected = GetParam();
  const RunReport report = Replay(expected.name, expected.values).report;
  EXPECT_EQ(VerdictName(report.verdict), "pass") << report.message;
  EXPECT_EQ(report.sbuf.high_water_bytes.value, expected.high_water);
  EXPECT_EQ(report.psum.peak_banks.value, expected.banks);
  EXPECT_GT(report.data.compared_bytes, 0);
  EXPECT_EQ(report.data.mismatched_bytes, 0);
  EXPECT_TRUE(report.data.opaque_ops.empty());
  EXPECT_TRUE(report.unpriced_ops.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Files, AllocatedFile,
    testing::Values(FileCase{"rms_norm_qkv", 148744, 2}, FileCase{"attention_bank_map", 78712, 8},
                    FileCase{"pipelined_attention", 84864, 8, ValueMode::kTags},
                    FileCase{"pipelined_attention_4k", 35712, 8},
                    FileCase{"prefetched_rms_norm", 14344, 0}),
    [](const auto& file) { return file.param.name; });

std::vector<double> Doubles(const NamedData& data, const Tensor& tensor) {
  const TensorData& packed = data.at(tensor.name);
  std::vector<float> values(packed.bytes.size() /
                            static_cast<std::size_t>(ElementSize(tensor.dtype).value));
  DecodeElements(tensor.dtype, packed.bytes, values);
  return {values.begin(), values.end()};
}

/// Inputs by name, and what the machine left in "out".
struct Numbers {
  std::map<std::string, std::vector<double>> in;
  std::vector<double> out;
};

Numbers NumbersOf(const Kernel& kernel, const WholeRun& run) {
  const Result<Inputs> inputs = GenerateInputs(kernel, 1);  // the seed of RunWhole
  Numbers numbers;
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role == Role::kInput) numbers.in[tensor.name] = Doubles(*inputs, tensor);
    if (tensor.role == Role::kOutput) numbers.out = Doubles(run.simulation.outputs, tensor);
  }
  return numbers;
}

/// bfloat16 keeps 8 bits; the largest of many rounding errors stays below this part of the root
/// mean square of what is expected, and a term too much or too few doesn't.
void ExpectClose(const std::vector<double>& found, const std::vector<double>& expected) {
  constexpr double kTolerance = 1.0 / 32;
  ASSERT_EQ(found.size(), expected.size());
  double squares = 0;
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    squares += expected[i] * expected[i];
    worst = std::max(worst, std::fabs(found[i] - expected[i]));
  }
  const double root = std::sqrt(squares / static_cast<double>(found.size()));
  EXPECT_GT(root, 0);
  EXPECT_LT(worst, kTolerance * root);
}

/// x / root(mean of x^2 + 1e-6), row by row.
std::vector<double> NormalisedRows(std::vector<double> x, std::size_t width) {
  for (std::size_t row = 0; row < x.size(); row += width) {
    double squares = 0;
    for (std::size_t d = 0; d < width; ++d) squares += x[row + d] * x[row + d];
    const double by = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-6);
    for (std::size_t d = 0; d < width; ++d) x[row + d] *= by;
  }
  return x;
}

TEST(AllocatedNumbers, RmsNormQkvIsTheNormalisedRowsTimesTheWeights) {
  constexpr std::size_t kWidth = 1024;
  constexpr std::size_t kColumns = 96;
  const Kernel kernel = RmsNormQkv({.batch = 2, .rows = 256, .width = kWidth, .columns = kColumns});
  const auto run = RunWhole(kernel, {}, ValueMode::kNumeric, kernel.name);
  ASSERT_TRUE(run);
  const Numbers numbers = NumbersOf(kernel, *run);
  const std::vector<double> rows = NormalisedRows(numbers.in.at("hidden"), kWidth);
  const std::vector<double>& weights = numbers.in.at("weights_in");
  std::vector<double> expected(rows.size() / kWidth * kColumns);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t d = 0; d < kWidth; ++d)
      expected[i] += rows[i / kColumns * kWidth + d] * weights[d * kColumns + i % kColumns];
  }
  ExpectClose(numbers.out, expected);
}

TEST(AllocatedNumbers, PrefetchedRmsNormIsTheNormalisedRows) {
  const Kernel kernel = PrefetchedRmsNorm();
  const auto run = RunWhole(kernel, {}, ValueMode::kNumeric, kernel.name);
  ASSERT_TRUE(run);
  const Numbers numbers = NumbersOf(kernel, *run);
  ExpectClose(numbers.out, NormalisedRows(numbers.in.at("x"), 1024));
}

/// Softmax attention of every `every`th query, in the layouts q, k: [batch][head][sequence]; v and
/// out: [batch][sequence][head].
void ExpectAttention(const Numbers& numbers, std::size_t sequence, std::size_t every) {
  constexpr std::size_t kHead = 128;
  const std::vector<double>& q = numbers.in.at("q");
  const std::vector<double>& k = numbers.in.at("k");
  const std::vector<double>& v = numbers.in.at("v");
  std::vector<double> found;
  std::vector<double> expected;
  for (std::size_t batch = 0; batch < q.size(); batch += kHead * sequence) {
    for (std::size_t s = 0; s < sequence; s += every) {
      std::vector<double> weights(sequence);
      for (std::size_t d = 0; d < kHead; ++d) {
        const double by = q[batch + d * sequence + s] / std::sqrt(static_cast<double>(kHead));
        for (std::size_t t = 0; t < sequence; ++t) weights[t] += by * k[batch + d * sequence + t];
      }
      double sum = 0;
      std::vector<double> row(kHead);
      for (std::size_t t = 0; t < sequence; ++t) {
        const double weight = std::exp(weights[t]);
        sum += weight;
        for (std::size_t e = 0; e < kHead; ++e) row[e] += weight * v[batch + t * kHead + e];
      }
      for (std::size_t e = 0; e < kHead; ++e) {
        expected.push_back(row[e] / sum);
        found.push_back(numbers.out[batch + s * kHead + e]);
      }
    }
  }
  ExpectClose(found, expected);
}

TEST(AllocatedNumbers, AttentionBankMapIsSoftmaxAttention) {
  const Kernel kernel = AttentionBankMap({.batch = 2, .sequence = 1024});
  const auto run = RunWhole(kernel, {}, ValueMode::kNumeric, kernel.name);
  ASSERT_TRUE(run);
  ExpectAttention(NumbersOf(kernel, *run), 1024, 3);
}

// Two sections and more: the sums so far are rescaled, and products change banks.
TEST(AllocatedNumbers, PipelinedAttentionIsSoftmaxAttention) {
  const Kernel kernel = PipelinedAttention({.sequence = 4096});
  const auto run = RunWhole(kernel, {}, ValueMode::kNumeric, kernel.name);
  ASSERT_TRUE(run);
  ExpectAttention(NumbersOf(kernel, *run), 4096, 13);
}

const CheckResult* CheckNamed(const RunReport& report, std::string_view name) {
  for (const CheckResult& check : report.checks) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

TEST(BrokenAllocation, ADoubleBufferTooShortForItsPrefetchIsFoundByEveryJudgeOfValues) {
  const RunReport report = Replay("broken/double_buffer_too_short", ValueMode::kNumeric).report;
  EXPECT_EQ(VerdictName(report.verdict), "fail");
  using testing::HasSubstr;
  for (const auto& [name, words] : std::map<std::string, std::string>{
           {"overlap", "hidden_tiles"}, {"dataflow", "wrong bytes"}, {"data", "bytes differ"}}) {
    const CheckResult* check = CheckNamed(report, name);
    ASSERT_NE(check, nullptr) << name;
    ASSERT_FALSE(check->violations.empty()) << name;
    EXPECT_THAT(check->violations.front().text, HasSubstr(words)) << name;
  }
  // One buffer more is all that it takes.
  EXPECT_EQ(VerdictName(Replay("prefetched_rms_norm", ValueMode::kNumeric).report.verdict), "pass");
}

}  // namespace
}  // namespace spillway
