// What direct allocation asks of a kernel as a whole, and whom it leaves alone.
#include "model/alloc/nki/verify_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/allocate.h"
#include "model/alloc/nki/allocation_rule.h"
#include "tests/unit/nki/allocation_cases.h"
#include "traces/kernel_reader.h"

namespace spillway::nki {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Target& Trn2() {
  static const Target target = BuiltIn("trn2");
  return target;
}

std::vector<Address> At(std::int64_t byte) { return {{Partition(0), ByteOffset(byte)}}; }

/// A directly allocated kernel without a fault: a tile in, an activation with a bias, a tile out.
struct Sample {
  KernelBuilder b{"sample", "trn2"};
  TensorId x, y, tile, result, bias;

  Sample() {
    x = b.Dram("x", DType::kFloat32, {128, 64}, Role::kInput);
    y = b.Dram("y", DType::kFloat32, {128, 64}, Role::kOutput);
    tile = b.Sbuf("tile", DType::kFloat32, {128, 64},
                  {.blocks = {4}, .alloc = ModuloLaw{.num_free_tiles = {2}}});
    result = b.Sbuf("result", DType::kFloat32, {128, 64},
                    {.alloc = ModuloLaw{.base_addr = ByteOffset(512)}});
    bias = b.Sbuf("bias", DType::kFloat32, {128, 1},
                  {.alloc = ModuloLaw{.base_addr = ByteOffset(768)}});
    b.Copy(b.Whole(tile).Block({0}), b.Whole(x).Tile(0, 128, 0, 64));
    b.Instruction("memset").Out("dst", b.Whole(bias)).Attr("value", 0);
    b.Instruction("activation")
        .Out("dst", b.Whole(result))
        .In("data", b.Whole(tile).Block({0}))
        .In("bias", b.Whole(bias))
        .Attr("op", "exp");
    b.Copy(b.Whole(y).Tile(0, 128, 0, 64), b.Whole(result));
  }
};

std::multiset<std::string> RulesOfKernel(const KernelBuilder& builder, KernelRules rules = {}) {
  return RulesOf(VerifyKernel(builder.Build(), Trn2(), rules).violations);
}

TEST(VerifyKernel, AcceptsADirectlyAllocatedKernel) {
  const CheckResult result = VerifyKernel(Sample().b.Build(), Trn2());
  EXPECT_EQ(result.name, "allocation");
  EXPECT_EQ(result.checked, 5 + 4);
  EXPECT_THAT(result.violations, IsEmpty()) << TextOf(result.violations);
}

/// One rule of kernels, and what breaks it in the sample.
struct KernelRow {
  AllocationRule rule;
  std::string what;
  std::function<void(Sample&)> change;
  std::string words;
};

std::vector<KernelRow> KernelRows() {
  using enum AllocationRule;
  return {
      {kMixedAllocation, "an automatic SBUF tensor",
       [](Sample& s) {
         s.b.Sbuf("scratch", DType::kFloat32, {128, 1});
       },
       "\"scratch\""},
      {kMixedAllocation, "an automatic PSUM tensor",
       [](Sample& s) {
         s.b.Psum("product", DType::kFloat32, {128, 1});
       },
       "\"product\""},
      {kImplicitBias, "an activation without a bias",
       [](Sample& s) {
         s.b.Instruction("activation")
             .Out("dst", s.b.Whole(s.result))
             .In("data", s.b.Whole(s.tile).Block({1}))
             .Source("kernel.py:7");
       },
       "instruction 4 (activation, kernel.py:7)"},
      {kImplicitBias, "an activation whose bias is a number",
       [](Sample& s) {
         s.b.Instruction("activation_reduce")
             .Out("dst", s.b.Whole(s.result))
             .In("data", s.b.Whole(s.tile).Block({1}))
             .Attr("bias", 0.0);
       },
       "err_bias_tensor_must_be_specified_in_allocation"},
      {kImplicitBias, "a function of the language that becomes an activation",
       [](Sample& s) {
         s.b.Instruction("exp").Out("dst", s.b.Whole(s.result)).In("x", s.b.Whole(s.result));
       },
       "(exp)"},
      {kImplicitTranspose, "nc_transpose on its default engine",
       [](Sample& s) {
         s.b.Instruction("nc_transpose")
             .Out("dst", s.b.Whole(s.result))
             .In("data", s.b.Whole(s.tile).Block({1}));
       },
       "err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel"},
      {kImplicitTranspose, "matmul that transposes x itself",
       [](Sample& s) {
         s.b.Instruction("matmul").Out("dst", s.b.Whole(s.result)).In("x", s.b.Whole(s.bias));
       },
       "transpose_x"},
      {kImplicitTranspose, "transpose of the language",
       [](Sample& s) {
         s.b.Instruction("transpose").Out("dst", s.b.Whole(s.result)).In("x", s.b.Whole(s.bias));
       },
       "identity"},
      {kImplicitTemporary, "softmax",
       [](Sample& s) {
         s.b.Instruction("softmax").Out("dst", s.b.Whole(s.result)).In("x", s.b.Whole(s.result));
       },
       "partial results"},
      {kDramTensor, "a tensor in DRAM that isn't passed or returned",
       [](Sample& s) {
         s.b.Dram("scratch", DType::kFloat32, {128, 64});
       },
       "\"scratch\""},
      {kInitialValue, "a constant in SBUF",
       [](Sample& s) {
         s.b.Sbuf("ones", DType::kFloat32, {128, 1}, {.role = Role::kConstant, .at = At(1024)});
       },
       "err_tensor_creation_on_scratchpad_with_init_value_not_supported"},
  };
}

TEST(VerifyKernel, NamesTheRuleThatAChangeBreaks) {
  for (const KernelRow& row : KernelRows()) {
    SCOPED_TRACE(row.what);
    Sample sample;
    row.change(sample);
    const CheckResult result = VerifyKernel(sample.b.Build(), Trn2());
    ASSERT_THAT(result.violations, SizeIs(1)) << TextOf(result.violations);
    const Violation& violation = result.violations.front();
    EXPECT_EQ(RuleOf(violation), RowOf(row.rule).name);
    EXPECT_EQ(violation.kind, RowOf(row.rule).kind);
    EXPECT_THAT(violation.text, HasSubstr(row.words));
    EXPECT_THAT(violation.tensors, testing::Not(IsEmpty()));
  }
}

TEST(VerifyKernel, HasARowForEveryRuleOfKernels) {
  std::set<AllocationRule> covered = {AllocationRule::kMixedAllocation,
                                      AllocationRule::kAddressCount,  // in tests of their own
                                      AllocationRule::kUnknownTensor};
  for (const KernelRow& row : KernelRows()) covered.insert(row.rule);
  for (const AllocationRuleRow& row : AllocationRules()) {
    if (row.rule < AllocationRule::kMixedAllocation) continue;
    EXPECT_TRUE(covered.contains(row.rule)) << row.name;
  }
}

TEST(VerifyKernel, LeavesAKernelWithoutAllocationFunctionsAlone) {
  for (const KernelRow& row : KernelRows()) {
    Sample sample;
    row.change(sample);
    Kernel kernel = sample.b.Build();
    for (Tensor& tensor : kernel.tensors) tensor.alloc.reset();  // bare places, as by `address=`
    EXPECT_FALSE(IsDirectlyAllocated(kernel));
    const CheckResult result = VerifyKernel(kernel, Trn2());
    EXPECT_EQ(result.checked, 0) << row.what;
    EXPECT_THAT(result.violations, IsEmpty()) << row.what;
  }
}

TEST(VerifyKernel, LeavesAKernelAloneWhoseOptionIgnoresAllPlaces) {
  Sample sample;
  sample.b.Sbuf("scratch", DType::kFloat32, {128, 1});
  Kernel kernel = sample.b.Build();
  EXPECT_TRUE(IsDirectlyAllocated(kernel));
  kernel.opts = {{"force_auto_alloc", true}};
  EXPECT_FALSE(IsDirectlyAllocated(kernel));
  EXPECT_EQ(VerifyKernel(kernel, Trn2()).checked, 0);
}

TEST(VerifyKernel, LeavesAKernelAloneWhoseLawsGaveWayToOtherPlaces) {
  Kernel kernel = Sample().b.Build();
  for (Tensor& tensor : kernel.tensors) {
    if (tensor.space == Space::kSbuf) tensor.at.clear();
  }
  EXPECT_FALSE(IsDirectlyAllocated(kernel));
}

TEST(VerifyKernel, CountsBarePlacesAsDirectOnceACustomFunctionGaveThem) {
  for (const bool by_function : {false, true}) {
    KernelBuilder b("custom", "trn2");
    b.Sbuf("placed", DType::kFloat32, {128, 64}, {.at = At(0), .by_function = by_function});
    b.Sbuf("automatic", DType::kFloat32, {128, 64});
    if (by_function) {
      EXPECT_THAT(RulesOfKernel(b), ElementsAre("mixed-allocation"));
    } else {
      EXPECT_THAT(RulesOfKernel(b), IsEmpty());
      EXPECT_THAT(RulesOfKernel(b, {.assigned = {"placed"}}), ElementsAre("mixed-allocation"));
    }
  }
}

// The sample with each law written as a function that gives the same addresses.
TEST(VerifyKernel, AsksTheSameOfCustomFunctionsAsOfLaws) {
  for (const KernelRow& row : KernelRows()) {
    SCOPED_TRACE(row.what);
    Sample sample;
    row.change(sample);
    Kernel kernel = sample.b.Build();
    for (Tensor& tensor : kernel.tensors) {
      tensor.by_function = tensor.alloc.has_value();
      tensor.alloc.reset();
    }
    EXPECT_TRUE(IsDirectlyAllocated(kernel));
    EXPECT_THAT(RulesOf(VerifyKernel(kernel, Trn2()).violations),
                ElementsAre(RowOf(row.rule).name));
  }
}

TEST(VerifyKernel, NamesAllTensorsOfBothKindsWhereTheyAreMixed) {
  Sample sample;
  sample.b.Sbuf("first", DType::kFloat32, {128, 1});
  sample.b.Psum("second", DType::kFloat32, {128, 1});
  const CheckResult result = VerifyKernel(sample.b.Build(), Trn2());
  ASSERT_THAT(result.violations, SizeIs(1)) << TextOf(result.violations);
  EXPECT_THAT(result.violations.front().tensors, ElementsAre("first", "second"));
  EXPECT_THAT(result.violations.front().text,
              AllOf(HasSubstr("\"tile\", \"result\", \"bias\""), HasSubstr("\"first\", \"second\""),
                    HasSubstr("force_auto_alloc")));
}

TEST(VerifyKernel, MixesMemoriesButNotWithinOneWhereTheScopeIsTheMemory) {
  const KernelRules rules{.mixing = MixingScope::kMemorySpace};
  Sample sample;
  sample.b.Psum("product", DType::kFloat32, {128, 1});
  EXPECT_THAT(RulesOfKernel(sample.b, rules), IsEmpty());
  EXPECT_THAT(RulesOfKernel(sample.b), ElementsAre("mixed-allocation"));
  sample.b.Sbuf("scratch", DType::kFloat32, {128, 1});
  const std::vector<Violation> found = VerifyKernel(sample.b.Build(), Trn2(), rules).violations;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().space, Space::kSbuf);
  EXPECT_THAT(found.front().tensors, ElementsAre("scratch"));
}

TEST(VerifyKernel, VerifiesLawsAndBarePlacesOfADirectKernel) {
  Sample sample;
  sample.b.Sbuf("tall", DType::kFloat32, {64, 1}, {.at = {{Partition(32), ByteOffset(1024)}}});
  sample.b.Psum("crossing", DType::kFloat32, {128, 8}, {.at = At(2048 + 4)});
  sample.b.Psum("wide", DType::kFloat32, {128, 1024}, {.at = At(4096)});
  sample.b.Psum("stepping", DType::kFloat32, {32, 1},
                {.blocks = {4}, .alloc = ModuloLaw{.num_free_tiles = {2}}});
  EXPECT_THAT(RulesOfKernel(sample.b), ElementsAre("psum-byte-addr", "psum-free-tiles",
                                                   "psum-tile-size", "sbuf-start-partition"));
}

TEST(VerifyKernel, CountsAddresses) {
  Kernel kernel = Sample().b.Build();
  Tensor odd = kernel.tensors[TensorId(4)];
  odd.name = "odd";
  odd.alloc.reset();
  odd.at = {odd.at.front(), odd.at.front()};
  kernel.tensors.push_back(odd);
  EXPECT_THAT(RulesOf(VerifyKernel(kernel, Trn2()).violations), ElementsAre("address-count"));
}

TEST(VerifyKernel, ReportsAssignedNamesThatTheKernelDoesNotHave) {
  const CheckResult result =
      VerifyKernel(Sample().b.Build(), Trn2(), {.assigned = {"tile", "tiel"}});
  ASSERT_THAT(result.violations, SizeIs(1)) << TextOf(result.violations);
  EXPECT_EQ(result.violations.front().kind, Kind::kUnknownName);
  EXPECT_THAT(result.violations.front().tensors, ElementsAre("tiel"));
}

TEST(VerifyKernel, LooksAtTheLimitsThatItIsGiven) {
  const KernelRules rules{.limits = {.sbuf_bytes = Bytes(768)}};
  EXPECT_THAT(RulesOfKernel(Sample().b, rules), ElementsAre("sbuf-window"));
}

TEST(VerifyKernel, AcceptsWhatHasNoImplicitTensor) {
  Sample sample;
  KernelBuilder& b = sample.b;
  b.Instruction("nc_transpose")
      .Out("dst", b.Whole(sample.result))
      .In("data", b.Whole(sample.result))
      .On(Engine::kDve);
  b.Instruction("matmul")
      .Out("dst", b.Whole(sample.result))
      .In("x", b.Whole(sample.result))
      .Attr("transpose_x", true);
  b.Instruction("tensor_reduce")
      .Out("dst", b.Whole(sample.bias))
      .In("data", b.Whole(sample.tile).Block({0}));
  b.Instruction("reciprocal").Out("dst", b.Whole(sample.bias)).In("data", b.Whole(sample.bias));
  EXPECT_THAT(RulesOfKernel(b), IsEmpty());
}

TEST(VerifyKernel, ListsAllDramTensorsInOneViolation) {
  Sample sample;
  sample.b.Dram("first", DType::kFloat32, {128, 64});
  sample.b.Dram("second", DType::kFloat32, {128, 64});
  sample.b.Dram("table", DType::kFloat32, {128, 64}, Role::kConstant);
  const CheckResult result = VerifyKernel(sample.b.Build(), Trn2());
  ASSERT_THAT(result.violations, SizeIs(1)) << TextOf(result.violations);
  EXPECT_THAT(result.violations.front().tensors, ElementsAre("first", "second"));
  EXPECT_THAT(result.violations.front().text, HasSubstr("\"first\", \"second\""));
}

TEST(VerifyKernel, TakesHomesOfSpillCodeForAnAllocators) {
  Sample sample;
  const TensorId home = sample.b.Dram("home", DType::kFloat32, {128, 64});
  sample.b.Copy(sample.b.Whole(home).Tile(0, 128, 0, 64), sample.b.Whole(sample.result))
      .Spill(SpillRole::kSave);
  EXPECT_THAT(RulesOfKernel(sample.b), IsEmpty());
  sample.b.Copy(sample.b.Whole(home).Tile(0, 128, 0, 64), sample.b.Whole(sample.result));
  EXPECT_THAT(RulesOfKernel(sample.b), ElementsAre("dram-tensor"));
}

TEST(VerifyKernel, AcceptsWhatAllocateMakes) {
  Kernel kernel = Sample().b.Build();
  for (Tensor& tensor : kernel.tensors) {
    tensor.at.clear();
    tensor.alloc.reset();
  }
  const Assignments assignments = {{"tile", SbufModuloAllocFunc{{.num_free_tiles = {2}}}},
                                   {"result", SbufAt(0, 512)},
                                   {"bias", SbufAt(0, 768)}};
  const Kernel placed = Allocate(kernel, assignments, Trn2()).value();
  KernelRules rules;
  for (const auto& [name, func] : assignments) rules.assigned.insert(name);
  EXPECT_THAT(VerifyKernel(placed, Trn2(), rules).violations, IsEmpty());
  // Without the third function its tensor is automatic, and the kernel mixed.
  Assignments two = assignments;
  two.erase("bias");
  rules.assigned.erase("bias");
  EXPECT_THAT(
      RulesOf(VerifyKernel(Allocate(kernel, two, Trn2()).value(), Trn2(), rules).violations),
      ElementsAre("mixed-allocation"));
}

TEST(VerifyKernel, LeavesEveryKernelOfTheTracesAlone) {
  int kernels = 0;
  for (const std::string folder : {"captured", "rolled", "published", "cases", "found"}) {
    const std::filesystem::path path =
        std::filesystem::path(SPILLWAY_SOURCE_DIR) / "traces" / folder;
    for (const auto& file : std::filesystem::directory_iterator(path)) {
      if (file.path().filename().string().find(".kernel.jsonl") == std::string::npos) continue;
      const Result<Kernel> kernel = ReadKernelFile(file.path().string());
      ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
      const bool has_functions =
          std::any_of(kernel->tensors.begin(), kernel->tensors.end(),
                      [](const Tensor& t) { return t.alloc.has_value() || t.by_function; });
      if (has_functions) continue;
      const CheckResult result = VerifyKernel(*kernel, Trn2());
      EXPECT_EQ(result.checked, 0) << file.path();
      EXPECT_THAT(result.violations, IsEmpty()) << file.path();
      ++kernels;
    }
  }
  EXPECT_GE(kernels, 30);
}

}  // namespace
}  // namespace spillway::nki
