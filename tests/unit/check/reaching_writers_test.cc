#include "model/alloc/check/reaching_writers.h"

#include <gtest/gtest.h>

#include "tests/unit/check/test_kernel.h"

namespace spillway {
namespace {

std::vector<Violation> Judge(const TestKernel& original, const TestKernel& allocated,
                             const Placement& places) {
  return CheckReachingWriters(original.kernel(), allocated.kernel(), places).violations;
}

void Move(TestKernel& k, SpillRole role, const Operand& to, const Operand& from) {
  k.Op({to}, {from}, "dma_copy").spill = role;
}

/// write x; write y; read x
struct Original : TestKernel {
  TensorId x = Sbuf("x", 32, 16);
  TensorId y = Sbuf("y", 32, 16);
  Original() {
    Write(x);
    Write(y);
    Read(x);
  }
};

TEST(ReachingWriters, AreTheOriginalsAtPlacesOfTheirOwn) {
  const Original k;
  const CheckResult result =
      CheckReachingWriters(k.kernel(), k.kernel(), PlacementOf({Place(0, 0), Place(0, 16)}));
  EXPECT_TRUE(result.violations.empty());
  EXPECT_EQ(result.name, "reaching-writer");
  EXPECT_EQ(result.checked, 1);
}

TEST(ReachingWriters, AnOrderedClobberIsAWrongValue) {
  const Original k;
  const auto found = Judge(k, k, PlacementOf({Place(0, 0), Place(0, 12)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kWrongValue);
  EXPECT_EQ(found[0].tensors, std::vector<std::string>{"x"});
  EXPECT_EQ(found[0].text,
            "tensor_copy #2 reads x at partitions [0, 32), bytes [12, 16): expected what "
            "tensor_copy #0 wrote to x, found what tensor_copy #1 wrote to y");
}

TEST(ReachingWriters, APartOfTheRowsIsClobberedAlone) {
  const Original k;
  const auto found = Judge(k, k, PlacementOf({Place(0, 0), Place(16, 0)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("partitions [16, 32), bytes [0, 16)"), std::string::npos)
      << found[0].text;
}

/// The same with x spilled to a home in between and reloaded to a copy, at shared bytes.
struct Spilled : TestKernel {
  TensorId x = Sbuf("x", 32, 16);
  TensorId y = Sbuf("y", 32, 16);
  TensorId home = Dram("home", 32 * 16);
  TensorId copy = Sbuf("copy", 32, 16);
  Placement places = PlacementOf({Place(0, 0), Place(0, 0), Place(0, 0), Place(64, 8)});
};

TEST(ReachingWriters, AreFoundThroughASaveAndAReload) {
  Spilled k;
  k.Write(k.x);
  Move(k, SpillRole::kSave, k.At(k.home), k.At(k.x));
  k.Write(k.y);
  Move(k, SpillRole::kReload, k.At(k.copy), k.At(k.home));
  k.Read(k.copy);
  EXPECT_TRUE(Judge(Original(), k, k.places).empty());
}

TEST(ReachingWriters, AReloadFromAHomeThatNothingSavedToIsAnUninitializedRead) {
  Spilled k;
  k.Write(k.x);
  k.Write(k.y);
  Move(k, SpillRole::kReload, k.At(k.copy), k.At(k.home));
  k.Read(k.copy);
  const auto found = Judge(Original(), k, k.places);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kUninitializedRead);
}

TEST(ReachingWriters, ASaveBehindTheClobberIsAWrongValue) {
  Spilled k;
  k.Write(k.x);
  k.Write(k.y);
  Move(k, SpillRole::kSave, k.At(k.home), k.At(k.x));
  Move(k, SpillRole::kReload, k.At(k.copy), k.At(k.home));
  k.Read(k.copy);
  const auto found = Judge(Original(), k, k.places);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::kWrongValue);
}

TEST(ReachingWriters, AReloadOfOtherElementsIsAWrongValue) {
  Spilled k;
  k.Write(k.x);
  Move(k, SpillRole::kSave, k.At(k.home), k.At(k.x));
  k.Write(k.y);
  Move(k, SpillRole::kReload, k.At(k.copy), k.At(k.home));
  // Row 0 once more, from where row 1 lies.
  Move(k, SpillRole::kReload, k.At(k.copy, {.partitions = 1}),
       k.At(k.home, {.offset = 16, .count = 16}));
  k.Read(k.copy);
  const auto found = Judge(Original(), k, k.places);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("partitions [0, 1)"), std::string::npos) << found[0].text;
  EXPECT_NE(found[0].text.find("other elements of"), std::string::npos) << found[0].text;
}

TEST(ReachingWriters, AHomeWithoutTheUpdateIsAWrongValue) {
  TestKernel original;
  const TensorId o = original.Sbuf("x", 32, 16);
  original.Write(o);
  original.Write(o, {.offset = 4, .count = 4});
  original.Read(o);
  Spilled k;
  k.Write(k.x);
  Move(k, SpillRole::kSave, k.At(k.home), k.At(k.x));
  k.Write(k.x, {.offset = 4, .count = 4});
  Move(k, SpillRole::kReload, k.At(k.copy), k.At(k.home));
  k.Read(k.copy);
  const auto found = Judge(original, k, k.places);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].range, Range(4, 8));
  EXPECT_NE(found[0].text.find("expected what tensor_copy #1 wrote"), std::string::npos);
}

TEST(ReachingWriters, ALoadThatIsRepeatedBringsTheSameBytes) {
  TestKernel original;
  const TensorId input = original.Dram("in", 64 * 16);
  original.tensor(input).role = Role::kInput;
  const TensorId o = original.Sbuf("x", 32, 16);
  original.Op({original.At(o)}, {original.At(input, {.offset = 256, .count = 512})}, "dma_copy");
  original.Read(o);
  original.Read(o);
  TestKernel k;
  const TensorId in = k.Dram("in", 64 * 16);
  k.tensor(in).role = Role::kInput;
  const TensorId first = k.Sbuf("first", 32, 16);
  const TensorId second = k.Sbuf("second", 32, 16);
  const auto load = [&](TensorId to, std::int64_t from) {
    Move(k, SpillRole::kReload, k.At(to), k.At(in, {.offset = from, .count = 512}));
  };
  const Placement places = PlacementOf({Place(0, 0), Place(0, 0), Place(32, 0)});
  load(first, 256);
  k.Read(first);
  load(second, 256);
  k.Read(second);
  EXPECT_TRUE(Judge(original, k, places).empty());
  TestKernel bad;
  bad.Dram("in", 64 * 16);
  bad.Sbuf("first", 32, 16);
  Move(bad, SpillRole::kReload, bad.At(first), bad.At(in, {.offset = 272, .count = 512}));
  bad.Read(first);
  bad.Read(first);
  EXPECT_EQ(Judge(original, bad, PlacementOf({Place(0, 0), Place(0, 0)})).size(), 2u);
}

/// write x; store x to out
struct Stored : TestKernel {
  TensorId x = Sbuf("x", 1, 16);
  TensorId out = Dram("out", 16);
  TensorId home = Dram("home", 16);
  Stored() {
    tensor(out).role = Role::kOutput;
    Write(x);
    Op({At(out)}, {At(x)}, "dma_copy");
  }
};

TEST(ReachingWriters, AnOutputThatAHomeOverwritesIsAWrongValue) {
  Stored k;
  Move(k, SpillRole::kSave, k.At(k.home), k.At(k.x));
  EXPECT_TRUE(Judge(Stored(), k, PlacementOf({Place(0, 0), Place(0, 0), Place(0, 16)})).empty());
  const auto found = Judge(Stored(), k, PlacementOf({Place(0, 0), Place(0, 0), Place(0, 8)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].range, Range(8, 16));
  EXPECT_NE(found[0].text.find("the end of the run reads out"), std::string::npos) << found[0].text;
}

TEST(ReachingWriters, AnIterationThatReadsTheOneBeforeIsFollowed) {
  TestKernel k;
  const TensorId x = k.Sbuf("x", 32, 16, {2});
  const LoopId i = k.Open(4);
  k.Write(x, {.block = {Modulo(Times(i, 1), 2)}});
  k.Read(x, {.block = {Modulo(Times(i, 1), 2)}});
  k.Close();
  Placement apart;
  apart.addresses.push_back({Place(0, 0), Place(0, 16)});
  EXPECT_TRUE(Judge(k, k, apart).empty());
}

TEST(ReachingWriters, ALostInstructionIsNotOverlooked) {
  TestKernel k;
  const TensorId x = k.Sbuf("x", 32, 16);
  k.Sbuf("y", 32, 16);
  k.Write(x);
  k.Read(x);
  const auto found = Judge(Original(), k, PlacementOf({Place(0, 0), Place(0, 16)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("runs tensor_copy #2, it doesn't"), std::string::npos)
      << found[0].text;
}

}  // namespace
}  // namespace spillway
