#include "model/alloc/check/matched_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/check/spilled_kernel.h"

namespace spillway::check {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// load t; load u; use t; use u: in the function with copies of the allocator's or without loads.
struct Loads : SpilledKernel {
  TensorId x = Input("x", 1024);
  TensorId t = Program("t", 64, 8);
  TensorId u = Program("u", 64, 8);
  TensorId t0 = Sbuf("t", 64, 8, Place(0, 0));
  TensorId u0 = Sbuf("u", 64, 8, Place(0, 8));

  Operand Rows(std::int64_t first) const {
    Operand rows = program.At(x);
    rows.free_offset = first;
    rows.free_dims = {{1, 512}};
    return rows;
  }
  void ProgramLoads() {
    program.Op({program.At(t)}, {Rows(0)}, "dma_copy");
    program.Op({program.At(u)}, {Rows(512)}, "dma_copy");
  }
  void FunctionLoad(TensorId tensor, std::int64_t first) {
    function.Op({function.At(tensor)}, {Rows(first)}, "dma_copy");
  }
  std::vector<StepKind> Steps() const {
    std::vector<StepKind> kinds;
    for (const CodeStep& step : MatchCode(program.kernel(), function.Linear()).steps)
      kinds.push_back(step.kind);
    return kinds;
  }
};

TEST(MatchedCode, LaysEqualFunctionsSideBySide) {
  Loads k;
  k.ProgramLoads();
  k.FunctionLoad(k.t0, 0);
  k.FunctionLoad(k.u0, 512);
  k.Read(k.t, k.t0);
  EXPECT_THAT(k.Steps(),
              ElementsAre(StepKind::kOriginal, StepKind::kOriginal, StepKind::kOriginal));
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(MatchedCode, ALoadMayBeLeftOutWhereAReloadRepeatsIt) {
  for (const std::int64_t row : {512, 504}) {
    Loads k;
    k.ProgramLoads();
    k.FunctionLoad(k.t0, 0);
    k.Read(k.t, k.t0);
    k.FunctionLoad(k.u0, row);
    k.Read(k.u, k.u0);
    if (row == 512) {
      EXPECT_THAT(k.Steps(),
                  ElementsAre(StepKind::kOriginal, StepKind::kDropped, StepKind::kOriginal,
                              StepKind::kCopy, StepKind::kOriginal));
      EXPECT_THAT(k.Causes(), IsEmpty());
    } else {
      EXPECT_THAT(k.Causes(), ElementsAre("wrong bytes"));
    }
  }
}

TEST(MatchedCode, ALoadThatIsLeftOutAndNotRepeatedIsMissed) {
  Loads k;
  k.ProgramLoads();
  k.FunctionLoad(k.t0, 0);
  k.Read(k.t, k.t0);
  k.Read(k.u, k.u0);
  EXPECT_THAT(k.Causes(), ElementsAre("uninitialized"));
}

TEST(MatchedCode, ALoadMayBeRepeatedThoughItIsStillThere) {
  Loads k;
  k.ProgramLoads();
  k.FunctionLoad(k.t0, 0);
  k.FunctionLoad(k.u0, 512);
  k.FunctionLoad(k.u0, 0);
  k.Read(k.t, k.u0);
  EXPECT_THAT(k.Causes(), IsEmpty());
}

TEST(MatchedCode, AnInputIsNoLongerTheValueOfWhatWasUpdated) {
  Loads k;
  k.ProgramLoads();
  k.FunctionLoad(k.t0, 0);
  k.FunctionLoad(k.u0, 512);
  k.Write(k.t, k.t0, {.offset = 0, .count = 1});
  k.FunctionLoad(k.u0, 0);
  k.Read(k.t, k.u0);
  EXPECT_THAT(k.Causes(), ElementsAre("stale reload"));
}

TEST(MatchedCode, ACopyOfTheProgramsMayBeLeftOutWhereItsSourceStays) {
  for (const bool updates : {false, true}) {
    Loads k;
    k.program.Write(k.t);
    k.function.Write(k.t0);
    k.program.Op({k.program.At(k.u)}, {k.program.At(k.t)}, "tensor_copy");
    if (updates) k.Write(k.t, k.t0);
    k.Read(k.u, k.t0);
    EXPECT_EQ(k.Causes().size(), updates ? 1u : 0u);
  }
}

TEST(MatchedCode, AnInstructionThatIsMissingIsNamed) {
  Loads k;
  k.program.Write(k.t);
  k.Read(k.t, k.t0);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].text, "missing instruction: at point 0: expected tensor_copy t");
}

TEST(MatchedCode, AnInstructionOfAnotherOrderIsMissing) {
  Loads k;
  k.program.Write(k.t);
  k.program.Accumulate(k.u);
  k.function.Accumulate(k.u0);
  k.function.Write(k.t0);
  EXPECT_THAT(k.Causes(), ElementsAre("missing instruction", "unknown instruction"));
}

TEST(MatchedCode, AnInstructionThatTheProgramLacksIsUnknown) {
  Loads k;
  k.Write(k.t, k.t0);
  k.function.Op({k.function.At(k.u0)}, {k.function.At(k.t0)}, "activation");
  k.Read(k.t, k.t0);
  const std::vector<Violation> violations = k.Check().violations;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_THAT(violations[0].text, HasSubstr("unknown instruction: at point 1"));
}

TEST(MatchedCode, OtherAttributesOperandsOrPredicatesAreAChange) {
  const auto changed = [](auto change) {
    Loads k;
    const LoopId i = k.Open(3);
    k.program.Write(k.t).when = {AtLeastZero(Times(i, 1, -1))};
    change(k, i);
    k.Close();
    return k.Causes();
  };
  const auto guarded = [](Loads& k, LoopId i) -> Instruction& {
    Instruction& write = k.function.Write(k.t0);
    write.when = {AtLeastZero(Times(i, 1, -1))};
    return write;
  };
  EXPECT_THAT(changed([&](Loads& k, LoopId i) { guarded(k, i); }), IsEmpty());
  EXPECT_THAT(changed([&](Loads& k, LoopId i) {
                guarded(k, i).attrs = {{"scale", 2}};
              }),
              ElementsAre("changed instruction"));
  EXPECT_THAT(changed([&](Loads& k, LoopId i) { guarded(k, i).when.clear(); }),
              ElementsAre("changed instruction"));
  EXPECT_THAT(changed([&](Loads& k, LoopId i) {
                guarded(k, i).outputs[0].operands[0].free_dims = {{1, 7}};
              }),
              ElementsAre("changed instruction"));
  EXPECT_THAT(
      changed([&](Loads& k, LoopId i) { guarded(k, i).outputs[0].operands[0].as = DType::kInt8; }),
      ElementsAre("changed instruction"));
}

TEST(MatchedCode, AnotherLoopEndsTheComparison) {
  Loads k;
  k.program.Open(3);
  k.function.Open(4);
  k.Write(k.t, k.t0);
  k.Close();
  EXPECT_THAT(k.Causes(), ElementsAre("changed loop"));
}

TEST(MatchedCode, AStoreThatGoesElsewhereIsAChange) {
  for (const std::int64_t offset : {0, 1}) {
    Loads k;
    const TensorId y = k.program.Dram("y", 1024);
    k.program.tensor(y).role = Role::kOutput;
    const TensorId y0 = k.function.Dram("y", 1024);
    k.function.tensor(y0).role = Role::kOutput;
    k.placement.addresses.push_back({});
    k.Write(k.t, k.t0);
    k.program.Op({k.program.At(y, {.offset = 0, .count = 512})}, {k.program.At(k.t)}, "dma_copy");
    k.function.Op({k.function.At(y0, {.offset = offset, .count = 512})}, {k.function.At(k.t0)},
                  "dma_copy");
    EXPECT_EQ(k.Causes().size(), offset == 0 ? 0u : 1u);
  }
}

TEST(MatchedCode, TheCallersTensorsKeepTheirShape) {
  for (const std::int64_t elements : {1024, 1023}) {
    Loads k;
    k.ProgramLoads();
    k.FunctionLoad(k.t0, 0);
    k.FunctionLoad(k.u0, 512);
    k.function.tensor(k.x).shape = {elements};
    k.Read(k.t, k.t0);
    EXPECT_EQ(k.Steps()[0], elements == 1024 ? StepKind::kOriginal : StepKind::kDropped);
  }
}

}  // namespace
}  // namespace spillway::check
