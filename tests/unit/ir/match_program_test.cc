#include "model/alloc/ir/match_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TensorId kX{0};
constexpr TensorId kY{1};
constexpr TensorId kA{2};
constexpr TensorId kB{3};

// 0 load a from x    2   b = a + a
// 1 for i            3 end i
//                    4 store b to y
struct Made {
  KernelBuilder builder{"k", "trn2"};
  Made() {
    builder.Dram("x", DType::kFloat32, {4, 4}, Role::kInput);
    builder.Dram("y", DType::kFloat32, {4, 4}, Role::kOutput);
    builder.Sbuf("a", DType::kFloat32, {4, 4});
    builder.Sbuf("b", DType::kFloat32, {4, 4});
  }
  void Load(TensorId to) { builder.Copy(builder.Whole(to), builder.Whole(kX)); }
  void Compute(TensorId to, TensorId from, const char* op = "add") {
    builder.Instruction("tensor_tensor")
        .Out("dst", builder.Whole(to))
        .In("data1", builder.Whole(from))
        .In("data2", builder.Whole(from))
        .Attr("op", op);
  }
  void Store(TensorId from) { builder.Copy(builder.Whole(kY), builder.Whole(from)); }
  void OpenLoop(std::int64_t trips = 2) {
    builder.OpenLoop("i", 0, trips, 1, LoopKind::kSequential);
  }
  void CloseLoop() { builder.CloseLoop(); }
};

Kernel Original() {
  Made k;
  k.Load(kA);
  k.OpenLoop();
  k.Compute(kB, kA);
  k.CloseLoop();
  k.Store(kB);
  return k.builder.Build();
}

std::vector<bool> AddedOf(const ProgramMatch& match, const Kernel& kernel) {
  std::vector<bool> added;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    added.push_back(match.added[InstructionId(i)]);
  }
  return added;
}

TEST(MatchProgram, PlacesAloneChangeNothing) {
  Kernel placed = Original();
  placed.tensors[kA].at = {{Partition(0), ByteOffset(64)}};
  const ProgramMatch match = MatchProgram(Original(), placed);
  EXPECT_THAT(match.differences, IsEmpty());
  EXPECT_THAT(AddedOf(match, placed), ElementsAre(false, false, false));
}

TEST(MatchProgram, WorkingCopiesWithUnmarkedSpillCodeAreTheAllocators) {
  Made k;
  const TensorId home = k.builder.Dram("home", DType::kFloat32, {4, 4});
  const TensorId copy = k.builder.Sbuf("b.1", DType::kFloat32, {4, 4});
  k.Load(kA);
  k.OpenLoop();
  k.Compute(kB, kA);
  k.builder.Copy(k.builder.Whole(home), k.builder.Whole(kB));
  k.CloseLoop();
  k.builder.Copy(k.builder.Whole(copy), k.builder.Whole(home));
  k.Store(copy);
  const Kernel spilled = k.builder.Build();
  const ProgramMatch match = MatchProgram(Original(), spilled);
  EXPECT_THAT(match.differences, IsEmpty());
  EXPECT_THAT(AddedOf(match, spilled), ElementsAre(false, false, true, true, false));
}

TEST(MatchProgram, ALoadMayBeRepeatedAtItsUses) {
  Made k;
  const TensorId copy = k.builder.Sbuf("a.1", DType::kFloat32, {4, 4});
  k.OpenLoop();
  k.Load(copy);
  k.Compute(kB, copy);
  k.CloseLoop();
  k.Store(kB);
  const Kernel spilled = k.builder.Build();
  const ProgramMatch match = MatchProgram(Original(), spilled);
  EXPECT_THAT(match.differences, IsEmpty());
  EXPECT_THAT(AddedOf(match, spilled), ElementsAre(true, false, false));
}

// The first copy could be the kernel's own load, of a working copy; then the second has no reading
// left but the allocator's.
TEST(MatchProgram, OfTwoReadingsOfACopyTheOneThatLeadsOnCounts) {
  Made k;
  const TensorId copy = k.builder.Sbuf("a.1", DType::kFloat32, {4, 4});
  k.Load(copy);
  k.Load(kA);
  k.OpenLoop();
  k.Compute(kB, kA);
  k.CloseLoop();
  k.Store(kB);
  const Kernel allocated = k.builder.Build();
  const ProgramMatch match = MatchProgram(Original(), allocated);
  EXPECT_THAT(match.differences, IsEmpty());
  EXPECT_THAT(AddedOf(match, allocated), ElementsAre(true, false, false, false));
}

struct Change {
  const char* name;
  std::function<void(Kernel&)> change;
  const char* says;
};
void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

class Changed : public testing::TestWithParam<Change> {};

TEST_P(Changed, IsADifferenceThatNamesBothSides) {
  Kernel kernel = Original();
  GetParam().change(kernel);
  EXPECT_THAT(MatchProgram(Original(), kernel).differences,
              Contains(AllOf(HasSubstr("expected"), HasSubstr(GetParam().says))));
}

Instruction& Compute(Kernel& kernel) { return kernel.instructions[InstructionId(1)]; }

void DropBodyItem(Kernel& kernel, std::size_t at) {
  kernel.body.erase(kernel.body.begin() + static_cast<std::ptrdiff_t>(at));
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Changed,
    testing::Values(
        Change{"AnotherOperator",
               [](Kernel& k) {
                 Compute(k).attrs = {{"op", "multiply"}};
               },
               "op: multiply"},
        Change{"AnotherEngine", [](Kernel& k) { Compute(k).engine = Engine::kPool; }, "pool"},
        Change{"AnotherOperand", [](Kernel& k) { Compute(k).inputs[1].operands[0].tensor = kB; },
               "data2=b"},
        Change{"FewerElements",
               [](Kernel& k) {
                 Compute(k).outputs[0].operands[0].free_dims = {{1, 2}};
               },
               "found tensor_tensor"},
        Change{"APredicate", [](Kernel& k) { Compute(k).when = {Predicate{AffineExpr(1)}}; },
               "when"},
        Change{"AnInstructionLess", [](Kernel& k) { DropBodyItem(k, 2); },
               "found the end of loop i"},
        Change{"NothingAfterTheLoop", [](Kernel& k) { k.body.pop_back(); },
               "found the end of the kernel"},
        Change{"ASmallerInput",
               [](Kernel& k) {
                 k.tensors[kX].shape = {4, 3};
               },
               "[4, 3]"},
        Change{"AnOutputRenamed", [](Kernel& k) { k.tensors[kY].name = "z"; }, "tensor y"},
        Change{"ATypeChanged", [](Kernel& k) { k.tensors[kB].dtype = DType::kBfloat16; },
               "bfloat16"}),
    [](const auto& change) { return change.param.name; });

TEST(MatchProgram, AnAuthorsPlaceStays) {
  Kernel original = Original();
  original.tensors[kA].at = {{Partition(0), ByteOffset(64)}};
  Kernel moved = original;
  moved.tensors[kA].at = {{Partition(0), ByteOffset(128)}};
  EXPECT_THAT(MatchProgram(original, moved).differences, ElementsAre(HasSubstr("0:128")));
}

TEST(MatchProgram, LoopsKeepTheirRanges) {
  Made k;
  k.Load(kA);
  k.OpenLoop(3);
  k.Compute(kB, kA);
  k.CloseLoop();
  k.Store(kB);
  EXPECT_THAT(MatchProgram(Original(), k.builder.Build()).differences,
              ElementsAre(HasSubstr("the loops differ")));
}

TEST(MatchProgram, ACopyBetweenTheKernelsOwnTensorsIsSpillCodeOnlyWhereItSaysSo) {
  for (const bool says_so : {false, true}) {
    Made k;
    k.Load(kA);
    k.OpenLoop();
    k.Compute(kB, kA);
    k.CloseLoop();
    auto copy = k.builder.Copy(k.builder.Whole(kA), k.builder.Whole(kB));
    if (says_so) copy.Spill(SpillRole::kSave);
    k.Store(kB);
    EXPECT_EQ(MatchProgram(Original(), k.builder.Build()).differences.empty(), says_so);
  }
}

}  // namespace
}  // namespace spillway
