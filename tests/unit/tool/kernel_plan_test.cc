#include "sim/tool/kernel_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/opts_json.h"
#include "sim/tool/pipeline.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// x -> tile -> y, by a ring of two tiles that lies by its law, or wherever an allocator puts it.
Kernel Copied(bool by_hand) {
  KernelBuilder b("copied", "trn1");
  const TensorId x = b.Dram("x", DType::kFloat32, {256, 64}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {256, 64}, Role::kOutput);
  TensorOptions options{.blocks = {2}};
  if (by_hand) options.alloc = ModuloLaw{.base_addr = ByteOffset(0), .num_free_tiles = {2}};
  const TensorId tile = b.Sbuf("tile", DType::kFloat32, {128, 64}, options);
  b.OpenLoop("i", 0, 2);
  b.Copy(b.Whole(tile).Block({b.Index("i")}), b.Whole(x).Tile(b.Index("i") * 128, 128, 0, 64));
  b.Copy(b.Whole(y).Tile(b.Index("i") * 128, 128, 0, 64), b.Whole(tile).Block({b.Index("i")}));
  b.CloseLoop();
  return b.Build();
}

Kernel WithOpts(Kernel kernel, std::vector<Attr> opts) {
  kernel.version = 2;
  kernel.opts = std::move(opts);
  return kernel;
}

// A file that goes with its test.
class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("spillway-plan-" + std::to_string(getpid()) + ".kernel.jsonl")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

RunReport RunOf(const Kernel& kernel, const ToolOptions& options = {}) {
  const File file(PrintKernelFile(kernel));
  return RunKernel(file.path(), options, {}).report;
}

TEST(KernelPlan, OfAKernelWithoutOptionsIsTheCommandLines) {
  const KernelPlan plan = PlanKernel(Copied(true), {}).value();
  EXPECT_EQ(plan.target, "trn1");
  EXPECT_EQ(plan.allocator, "coloring");
  EXPECT_FALSE(plan.reallocate);
  EXPECT_FALSE(plan.author_places);
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(KernelPlan, ForceAutoAllocIgnoresAddressesAndSaysSo) {
  const Kernel kernel = WithOpts(Copied(true), {{"force_auto_alloc", true}});
  const KernelPlan plan = PlanKernel(kernel, {}).value();
  EXPECT_TRUE(plan.reallocate);
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_THAT(plan.notes.front(), HasSubstr("force_auto_alloc"));
  const RunReport report = RunOf(kernel);
  EXPECT_EQ(report.verdict, Verdict::kPass) << report.message;
  // Both iterations may now use the same bytes.
  EXPECT_EQ(report.sbuf.high_water_bytes, Bytes(256));
}

TEST(KernelPlan, TheStackAllocatorReplacesTheColourers) {
  const Kernel kernel =
      WithOpts(Copied(false),
               {{"skip_middle_end", true}, {"allocator_type", "stack"}, {"skip_allocators", true}});
  EXPECT_EQ(PlanKernel(kernel, {}).value().allocator, "stack");
  const RunReport report = RunOf(kernel);
  EXPECT_EQ(report.allocator, "stack");
  EXPECT_EQ(report.verdict, Verdict::kPass) << report.message;
}

TEST(KernelPlan, SkippedAllocatorsLeaveEverythingToTheAuthor) {
  const std::vector<Attr> skip = {{"skip_allocators", true}};
  const RunReport placed = RunOf(WithOpts(Copied(true), skip));
  EXPECT_EQ(placed.verdict, Verdict::kPass) << placed.message;
  EXPECT_EQ(placed.allocator, kAsPlaced);
  const RunReport unplaced = RunOf(WithOpts(Copied(false), skip));
  EXPECT_EQ(unplaced.verdict, Verdict::kBadInput);
  EXPECT_THAT(unplaced.message,
              HasSubstr("1 of 1 accessed tensors in sbuf have no place: \"tile\""));
}

TEST(KernelPlan, TheCommandLineWinsOverOptionsWithANote) {
  const Kernel kernel = WithOpts(Copied(false), {{"skip_middle_end", true},
                                                 {"allocator_type", "stack"},
                                                 {"skip_allocators", true},
                                                 {"platform_target", "trn3"}});
  EXPECT_EQ(PlanKernel(kernel, {}).value().target, "trn3");
  ToolOptions options;
  options.target = "trn2";
  options.allocator = "linear-scan";
  const KernelPlan plan = PlanKernel(kernel, options).value();
  EXPECT_EQ(plan.target, "trn2");
  EXPECT_EQ(plan.allocator, "linear-scan");
  EXPECT_EQ(plan.notes.size(), 2u);
}

TEST(KernelPlan, AFileOfOptionsStandsInForTheHeaderAsJsonOrBase64) {
  const Kernel kernel = WithOpts(Copied(true), {{"skip_allocators", true}});
  const nki::CompileOpts forced = nki::Replace({}, {{"force_auto_alloc", true}}).value();
  std::string broken = nki::EncodeBackendConfig({.opts = forced}).value() + "\n";
  broken.insert(20, "\n");  // as tools break long lines
  for (const std::string& text : {nki::CompileOptsToJson(forced), broken}) {
    const File file(text);
    ToolOptions options;
    options.opts = file.path();
    const Result<KernelPlan> plan = PlanKernel(kernel, options);
    ASSERT_TRUE(plan.has_value()) << plan.error().ToString();
    EXPECT_TRUE(plan->reallocate);
    EXPECT_FALSE(plan->author_places);
  }
}

TEST(KernelPlan, ABadFileOfOptionsIsNamed) {
  ToolOptions options;
  options.opts = "no/such/file";
  EXPECT_EQ(PlanKernel(Copied(true), options).error().code, "opts-not-read");
  const File file(R"({"allocator":"stack"})");
  options.opts = file.path();
  const Result<KernelPlan> plan = PlanKernel(Copied(true), options);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, "nki-unknown-field");
  EXPECT_EQ(plan.error().file, file.path());
}

TEST(KernelPlan, AnUnknownOptionInTheHeaderIsABadInput) {
  const RunReport report = RunOf(WithOpts(Copied(true), {{"force_auto", true}}));
  EXPECT_EQ(report.verdict, Verdict::kBadInput);
  EXPECT_THAT(report.message, HasSubstr("field opts.\"force_auto\""));
}

TEST(KernelPlan, WithoutAnAllocatorAddressesAreLookedAtThoughTheyAreToBeIgnored) {
  const File file(PrintKernelFile(WithOpts(Copied(true), {{"force_auto_alloc", true}})));
  const RunReport report = CheckKernel(file.path(), {}, {}).report;
  EXPECT_EQ(report.verdict, Verdict::kPass) << report.message;
  EXPECT_EQ(report.sbuf.high_water_bytes, Bytes(512));
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("looked at all the same")));
}

// It once got the law, and answered with the law and addresses.
TEST(KernelPlan, AnExternalAllocatorGetsALawAsAddresses) {
  ToolOptions options;
  options.allocator = "external:cp";
  const RunReport report = RunOf(Copied(true), options);
  EXPECT_EQ(report.verdict, Verdict::kPass) << report.message;
}

// Reallocated tensors once kept their laws, and the program check took that for a change.
TEST(KernelPlan, AReallocatedKernelWithLawsIsStillTheAuthorsProgram) {
  ToolOptions options;
  options.reallocate = true;
  for (const char* allocator : {"coloring", "linear-scan", "stack", "scoped"}) {
    options.allocator = allocator;
    const RunReport report = RunOf(Copied(true), options);
    EXPECT_EQ(report.verdict, Verdict::kPass) << allocator << ": " << report.message;
  }
}

// An address that an allocator chose may be the law's by chance; it isn't the author's any more.
TEST(KernelPlan, AReallocatedKernelHasNoLaws) {
  ToolOptions options;
  options.reallocate = true;
  for (const char* allocator : {"coloring", "linear-scan", "stack", "scoped"}) {
    options.allocator = allocator;
    const File file(PrintKernelFile(Copied(true)));
    const KernelRun run = AllocateKernel(file.path(), options, {});
    ASSERT_TRUE(run.allocation.has_value()) << allocator;
    for (const Tensor& tensor : run.allocation->kernel.tensors)
      EXPECT_FALSE(tensor.alloc.has_value()) << allocator;
  }
}

TEST(KernelPlan, AutomaticTensorsBesideDirectOnesFailACheckAndARunAlike) {
  Kernel kernel = Copied(true);
  kernel.tensors.push_back(
      {"spare", Space::kSbuf, DType::kFloat32, {128, 64}, {}, Role::kInternal, {}, {}});
  Instruction& store = kernel.instructions[InstructionId(1)];
  store.inputs[0].operands[0].tensor = TensorId(3);
  store.inputs[0].operands[0].block.clear();
  kernel.instructions[InstructionId(0)].outputs.push_back(
      {"second", {store.inputs[0].operands[0]}, false});
  const File file(PrintKernelFile(kernel));
  for (const KernelRun& run : {RunKernel(file.path(), {}, {}), CheckKernel(file.path(), {}, {})}) {
    EXPECT_EQ(run.report.verdict, Verdict::kFail) << run.report.message;
    EXPECT_THAT(run.report.message, HasSubstr("automatic and direct allocation are mixed"));
  }
}

}  // namespace
}  // namespace spillway
