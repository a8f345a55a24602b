// What an author placed, whole or in part, as `check`, `replay` and `run` see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model/alloc/ir/kernel_builder.h"
#include "sim/tool/pipeline.h"
#include "sim/tool/stand_ins.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

enum class Placed { kNo, kBare, kByFunction };

TensorOptions At(Placed placed, std::int64_t byte) {
  if (placed == Placed::kNo) return {};
  return {.at = {{Partition(0), ByteOffset(byte)}}, .by_function = placed == Placed::kByFunction};
}

// x -> left (SBUF) -> product (PSUM) -> result (SBUF) -> y; `left` is read again at the end.
struct Sample {
  Placed sbuf = Placed::kBare;
  Placed psum = Placed::kBare;
  std::int64_t result_byte = 128;

  Kernel Build() const {
    KernelBuilder b("sample", "trn2");
    const TensorId x = b.Dram("x", DType::kFloat32, {32, 32}, Role::kInput);
    const TensorId y = b.Dram("y", DType::kFloat32, {64, 32}, Role::kOutput);
    const TensorId left = b.Sbuf("left", DType::kFloat32, {32, 32}, At(sbuf, 0));
    const TensorId result = b.Sbuf("result", DType::kFloat32, {32, 32}, At(sbuf, result_byte));
    const TensorId product = b.Psum("product", DType::kFloat32, {32, 32}, At(psum, 2048));
    b.Copy(b.Whole(left), b.Whole(x));
    b.Instruction("nc_matmul")
        .Out("dst", b.Whole(product))
        .In("stationary", b.Whole(left))
        .In("moving", b.Whole(left))
        .Attr("accumulate", false);
    b.Copy(b.Whole(result), b.Whole(product));
    b.Copy(b.Whole(y).Tile(0, 32, 0, 32), b.Whole(result));
    b.Copy(b.Whole(y).Tile(32, 32, 0, 32), b.Whole(left));
    return b.Build();
  }
};

// A file that goes with its test.
class File {
 public:
  explicit File(const Kernel& kernel)
      : path_(std::filesystem::temp_directory_path() /
              ("spillway-author-" + std::to_string(getpid()) + ".kernel.jsonl")) {
    std::ofstream(path_, std::ios::binary) << PrintKernelFile(kernel);
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

ToolOptions PerSpace() {
  ToolOptions options;
  options.mixing_per_space = true;
  return options;
}

RunReport Check(const Sample& sample, const ToolOptions& options = {}) {
  return CheckKernel(File(sample.Build()).path(), options, {}).report;
}

TEST(AuthorPlaces, ACheckNamesEveryTensorWithoutAPlaceInOneMessage) {
  for (const Placed psum : {Placed::kNo, Placed::kBare}) {
    const Sample sample{.sbuf = Placed::kNo, .psum = psum};
    const RunReport report = Check(sample);
    EXPECT_EQ(report.verdict, Verdict::kBadInput);
    EXPECT_THAT(report.message,
                AllOf(HasSubstr("2 of 2 accessed tensors in sbuf have no place: \"left\", "
                                "\"result\""),
                      HasSubstr("spillway alloc"), HasSubstr("not-placed")));
    const auto names_psum = HasSubstr("1 of 1 accessed tensors in psum have no place");
    if (psum == Placed::kNo) {
      EXPECT_THAT(report.message, names_psum);
    } else {
      EXPECT_THAT(report.message, Not(names_psum));
    }
  }
}

TEST(AuthorPlaces, ACheckOfMemoriesByThemselvesLooksAtWhatHasAPlaceAndNamesTheRest) {
  const std::vector<std::pair<Sample, std::string>> table = {
      {{.psum = Placed::kNo}, "in psum have no place: \"product\"; they are left to an allocator"},
      {{.sbuf = Placed::kNo}, "in sbuf have no place: \"left\", \"result\"; they are left"}};
  for (const auto& [sample, words] : table) {
    const RunReport report = Check(sample, PerSpace());
    EXPECT_EQ(report.verdict, Verdict::kPass) << report.message;
    EXPECT_THAT(report.notes, Contains(HasSubstr(words)));
    EXPECT_THAT(report.remarks, Contains(HasSubstr(words)));
    for (const CheckResult& check : report.checks) {
      if (check.name == "bounds" || check.name == "dataflow") {
        EXPECT_GT(check.checked, 0);
      }
    }
  }
}

TEST(AuthorPlaces, ACheckOfMemoriesByThemselvesFindsWhatIsWrongInThePlacedOne) {
  const RunReport report = Check({.psum = Placed::kNo, .result_byte = 64}, PerSpace());
  EXPECT_EQ(report.verdict, Verdict::kFail);
  std::vector<std::string> failed;
  for (const CheckResult& check : report.checks) {
    if (!check.violations.empty()) failed.push_back(check.name);
  }
  EXPECT_THAT(failed, ElementsAre("overlap", "dataflow", "tile-lifetimes"));
}

TEST(AuthorPlaces, AReplayNeedsEveryPlace) {
  const File file(Sample{.psum = Placed::kNo}.Build());
  const RunReport report = ReplayKernel(file.path(), PerSpace(), {}).report;
  EXPECT_EQ(report.verdict, Verdict::kBadInput);
  EXPECT_THAT(report.message, HasSubstr("\"product\""));
}

TEST(AuthorPlaces, RulesOfWholeKernelsHoldWhereAFileSaysThatAFunctionGaveThePlaces) {
  const auto rules_of = [](const Sample& sample) {
    const File file(sample.Build());
    ToolOptions options;
    options.values = ValueMode::kTags;
    return RunKernel(file.path(), options, {}).report;
  };
  const Sample bare{.sbuf = Placed::kBare, .psum = Placed::kNo};
  EXPECT_EQ(rules_of(bare).verdict, Verdict::kPass) << rules_of(bare).message;
  const RunReport direct = rules_of({.sbuf = Placed::kByFunction, .psum = Placed::kNo});
  EXPECT_EQ(direct.verdict, Verdict::kFail);
  EXPECT_THAT(direct.message, HasSubstr("automatic and direct allocation are mixed"));
}

TEST(AuthorPlaces, AReallocatedKernelForgetsThatAFunctionGavePlaces) {
  ToolOptions options;
  options.reallocate = true;
  for (const char* allocator : {"coloring", "linear-scan", "stack", "scoped", "external:cp"}) {
    options.allocator = allocator;
    const File file(Sample{.sbuf = Placed::kByFunction, .psum = Placed::kByFunction}.Build());
    const KernelRun run = AllocateKernel(file.path(), options, {});
    if (!run.allocation) continue;  // cp allocates nothing
    for (const Tensor& tensor : run.allocation->kernel.tensors)
      EXPECT_FALSE(tensor.by_function) << allocator << ": " << tensor.name;
  }
}

// The answer of an external allocator says nothing of functions, and is the author's program.
TEST(AuthorPlaces, AnExternalAllocatorGetsAddressesAloneAndTheirAuthorIsKnownAllTheSame) {
  ToolOptions options;
  // Fails where it reads of a function.
  options.allocator = "external:f() { grep -q func \"$1\" || cp \"$1\" \"$2\"; }; f";
  const File file(Sample{.sbuf = Placed::kByFunction, .psum = Placed::kByFunction}.Build());
  const KernelRun run = RunKernel(file.path(), options, {});
  EXPECT_EQ(run.report.verdict, Verdict::kPass) << run.report.message;
  ASSERT_TRUE(run.allocation);
  EXPECT_EQ(run.allocation->kernel.version, 2);
  for (const Tensor& tensor : run.allocation->kernel.tensors)
    EXPECT_EQ(tensor.by_function, tensor.space != Space::kDram) << tensor.name;
}

TEST(WithStandIns, PutsSbufTensorsWithoutAPlaceBehindAllOthersBlockAfterBlock) {
  KernelBuilder b("k", "trn2");
  b.Sbuf("placed", DType::kFloat32, {32, 8}, {.at = {{Partition(32), ByteOffset(96)}}});
  b.Sbuf("open", DType::kFloat32, {32, 8}, {.blocks = {2}});
  b.Psum("product", DType::kFloat32, {32, 8});
  const Kernel kernel = b.Build();
  const Placement placement = WithStandIns(kernel, FixedPlacement(kernel));
  EXPECT_EQ(placement.addresses[TensorId(0)], kernel.tensors[TensorId(0)].at);
  EXPECT_THAT(
      placement.addresses[TensorId(1)],
      ElementsAre(Address{Partition(0), ByteOffset(128)}, Address{Partition(0), ByteOffset(160)}));
  EXPECT_THAT(placement.addresses[TensorId(2)], IsEmpty());
}

}  // namespace
}  // namespace spillway
