// Every allocator that has a name, by the judges, on the same random kernels.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "model/alloc/baseline/find_allocator.h"
#include "model/alloc/baseline/linear_scan.h"
#include "model/alloc/check/same_program.h"
#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/place_homes.h"
#include "properties/judge.h"
#include "properties/kernel_choices.h"
#include "properties/random_kernel.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}
const Hwm& Oracle() {
  static const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  return *hwm;
}

// What the judges and the program check say of an allocation; empty: nothing.
std::string ObjectionsTo(const Kernel& kernel, const Allocation& allocation, Bytes capacity) {
  std::string text;
  JudgedCase judged({.original = &kernel,
                     .kernel = &allocation.kernel,
                     .placement = &allocation.placement,
                     .target = &Trn2(),
                     .sbuf_bytes = capacity,
                     .psum_banks = std::nullopt});
  for (const JudgeId judge : AllJudges()) {
    for (const Finding& finding : judged.Ask(judge))
      text += fmt::format("{}: {}\n", JudgeName(judge), finding.text);
  }
  for (const Violation& violation : CheckSameProgram(kernel, allocation.kernel).violations)
    text += violation.text + "\n";
  return text;
}

class Named : public testing::TestWithParam<std::string> {};

TEST_P(Named, AllocatesOrRefusesRandomKernelsAndTheJudgesAgree) {
  const auto allocator = FindAllocator(GetParam(), {});
  ASSERT_TRUE(allocator.has_value());
  int allocated = 0;
  int shared = 0;
  constexpr int kCases = 300;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const Kernel kernel = DecodeKernel(ChoiceBytesFromSeed(seed, 4 + seed % 30));
    const Bytes capacity = seed % 2 == 0 ? Bytes(16384) : Bytes(4096);
    const Result<Allocation> allocation =
        (*allocator)
            ->Allocate(
                kernel, Trn2(), Oracle(),
                {.sbuf_bytes = capacity, .psum_banks = {}, .reallocate = false, .progress = {}});
    if (!allocation) {
      EXPECT_TRUE(allocation.error().kind == Kind::kCapacity ||
                  allocation.error().kind == Kind::kInstructionWorkingSet)
          << allocation.error().ToString();
      continue;
    }
    ++allocated;
    shared += allocation->sbuf.high_water_bytes < allocation->sbuf.peak_live_bytes ? 1 : 0;
    EXPECT_EQ(ObjectionsTo(kernel, *allocation, capacity), "") << "seed " << seed;
  }
  EXPECT_GE(allocated, kCases * 8 / 10);
  // A stack doesn't pack in partitions.
  if (GetParam() == "stack") return;
  EXPECT_GE(shared, kCases / 10) << "allocations that put tensors side by side in partitions";
}

INSTANTIATE_TEST_SUITE_P(Allocators, Named, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const AllocatorRow& row : Allocators())
                             names.emplace_back(row.name);
                           return names;
                         }()),
                         [](const auto& name) {
                           std::string word = name.param;
                           std::erase(word, '-');
                           return word;
                         });

TEST(FindAllocator, ListsWhatItKnows) {
  const auto unknown = FindAllocator("flat", {});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message,
              AllOf(HasSubstr("'flat'"),
                    HasSubstr("coloring, linear-scan, stack, scoped, external:COMMAND")));
  EXPECT_FALSE(FindAllocator("external:", {}).has_value());
}

TEST(FindAllocator, AnswersWithTheNameThatWasAskedFor) {
  for (const char* name : {"coloring", "linear-scan", "external:true --no"}) {
    EXPECT_EQ((*FindAllocator(name, {}))->name(), name);
  }
}

//  bytes 0      1024   2048
//        | fixed |  a   |       points 0 to 3
//        | fixed |  b   |       points 2 to 5, once a is dead
Kernel TwoLives(std::int64_t columns) {
  KernelBuilder b("k", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, columns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, columns}, Role::kOutput);
  const TensorId z = b.Dram("z", DType::kFloat32, {128, columns}, Role::kOutput);
  const TensorId fixed =
      b.Sbuf("fixed", DType::kFloat32, {128, 256}, {.at = {{Partition(0), ByteOffset(0)}}});
  const TensorId a = b.Sbuf("a", DType::kFloat32, {128, columns});
  const TensorId c = b.Sbuf("b", DType::kFloat32, {128, columns});
  b.Instruction("memset").Out("dst", b.Whole(fixed)).Attr("value", 0);
  b.Copy(b.Whole(a), b.Whole(x));
  b.Copy(b.Whole(y), b.Whole(a));
  b.Copy(b.Whole(c), b.Whole(x));
  b.Copy(b.Whole(z), b.Whole(c));
  b.Instruction("tensor_copy").Out("dst", b.Whole(fixed)).In("src", b.Whole(fixed));
  return b.Build();
}

AllocateOptions Within(std::int64_t bytes) {
  return {.sbuf_bytes = Bytes(bytes), .psum_banks = {}, .reallocate = false, .progress = {}};
}

TEST(LinearScan, ReusesTheBytesOfTheDeadAndAvoidsTheFixed) {
  const auto allocator = MakeLinearScanAllocator();
  const Result<Allocation> allocation =
      allocator->Allocate(TwoLives(256), Trn2(), Oracle(), Within(2048));
  ASSERT_TRUE(allocation.has_value()) << allocation.error().ToString();
  const Address after_fixed{Partition(0), ByteOffset(1024)};
  EXPECT_EQ(allocation->placement.addresses[TensorId(4)], std::vector<Address>{after_fixed});
  EXPECT_EQ(allocation->placement.addresses[TensorId(5)], std::vector<Address>{after_fixed});
  EXPECT_EQ(allocation->sbuf.high_water_bytes, Bytes(2048));
}

TEST(LinearScan, NamesWhatHasNoPlaceInsteadOfSpilling) {
  const auto allocator = MakeLinearScanAllocator();
  const Result<Allocation> allocation =
      allocator->Allocate(TwoLives(256), Trn2(), Oracle(), Within(2040));
  ASSERT_FALSE(allocation.has_value());
  EXPECT_EQ(allocation.error().kind, Kind::kCapacity);
  EXPECT_THAT(allocation.error().message,
              AllOf(HasSubstr("block 0 of a (128 partitions x 1024 bytes)"), HasSubstr("2040")));
}

TEST(LinearScan, ForgetsTheAuthorsPlacesWhereItIsToldTo) {
  AllocateOptions options = Within(2048);
  options.reallocate = true;
  Kernel kernel = TwoLives(256);
  kernel.tensors[TensorId(3)].at = {{Partition(0), ByteOffset(1024)}};
  const Result<Allocation> allocation =
      MakeLinearScanAllocator()->Allocate(kernel, Trn2(), Oracle(), options);
  ASSERT_TRUE(allocation.has_value());
  EXPECT_EQ(allocation->placement.addresses[TensorId(3)].front().byte, ByteOffset(0));
}

// The report of a run and that of a replay once counted banks in two ways.
TEST(AllocateHomes, CountsPsumBanksAsTheColourerDoes) {
  KernelBuilder b("banks", "trn2");
  const TensorId out = b.Sbuf("out", DType::kFloat32, {32, 8});
  for (int t = 0; t < 3; ++t) {
    const TensorId tile = b.Psum("t" + std::to_string(t), DType::kFloat32, {32, 8},
                                 {.at = {{Partition(0), ByteOffset(2048 * (3 + t))}}});
    b.Instruction("memset").Out("dst", b.Whole(tile));
    b.Copy(b.Whole(out), b.Whole(tile));
  }
  const Kernel kernel = b.Build();
  const Result<Allocation> allocation = Allocate(kernel, Trn2(), Oracle(), {});
  ASSERT_TRUE(allocation.has_value());
  EXPECT_EQ(allocation->psum_peak_banks, BankCount(1));
  EXPECT_EQ(AllocateHomes(kernel, Trn2())->psum_peak_banks, BankCount(1));
}

TEST(AllocateHomes, ADramAddressTakesNoPsumBank) {
  const auto allocator = MakeLinearScanAllocator();
  Kernel kernel = TwoLives(256);
  kernel.tensors[TensorId(0)].at = {{Partition(0), ByteOffset(1 << 20)}};
  EXPECT_EQ(allocator->Allocate(kernel, Trn2(), Oracle(), {})->psum_peak_banks, BankCount(0));
}

}  // namespace
}  // namespace spillway
