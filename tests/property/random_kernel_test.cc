// What random kernels have in them, and that none of it depends on the rest.
#include "properties/random_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "properties/allocation_properties.h"
#include "properties/coverage.h"
#include "properties/rapidcheck_kernels.h"
#include "sim/values/inputs.h"
#include "sim/values/reference_interpreter.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

// No free dimension had more than 32 elements, no loop more than 40 trips, no PSUM tile blocks, and
// no target was inf1: a PSUM tile with too few banks passed every judge.
TEST(RandomKernels, EndAroundBanksTurnInPsumAndRunLong) {
  Coverage coverage;
  for (std::uint64_t index = 0; index < 3000; ++index)
    coverage.Add(BinsOf(DecodeProblem(ProblemBytes(3, index)).kernel));
  for (const auto& [bin, least] : {std::pair{Bin::kBankSized, 9.0},
                                   {Bin::kManyBanks, 5.0},
                                   {Bin::kPsumBlocks, 20.0},
                                   {Bin::kPsumRotating, 9.0},
                                   {Bin::kPsumParts, 25.0},
                                   {Bin::kPsumPredicates, 15.0},
                                   {Bin::kHundredTrips, 1.0},
                                   {Bin::kLongTurns, 1.0},
                                   {Bin::kInf1, 3.0}}) {
    EXPECT_GE(coverage.Percent(bin), least) << BinName(bin);
  }
}

std::string FaultsOf(const Kernel& kernel) {
  std::vector<std::string> faults = CheckRoundTrip(kernel).faults;
  const Result<Inputs> inputs = GenerateInputs(kernel, 1);
  if (!inputs) return inputs.error().ToString();
  const Result<InterpreterReport> report = Interpret(kernel, ValueMode::kTags, *inputs);
  if (!report) return report.error().ToString();
  for (const Violation& violation : report->uninitialized) faults.push_back(violation.text);
  return fmt::format("{}", fmt::join(faults, "\n"));
}

// What a shrinker leaves of the choices must be as good a kernel as the whole.
TEST(RandomKernels, AreKernelsWhicheverChoicesAreLeftOut) {
  Shares shares;
  CheckProperty("sub-lists", 400, [&](const KernelCase& c) {
    const std::vector<std::uint8_t> kept = *AnyBytes(60);
    std::vector<Choice> rest;
    for (std::size_t i = 0; i < c.choices.size(); ++i) {
      if (i >= kept.size() || kept[i] % 3 != 0) rest.push_back(c.choices[i]);
    }
    const Kernel kernel = DecodeKernel(BytesOf(rest), {.psum_partitions = PartitionCount(64)});
    const std::string faults = FaultsOf(kernel);
    if (!faults.empty()) RC_FAIL(faults);
    for (const Tensor& tensor : kernel.tensors) {
      RC_ASSERT(tensor.space != Space::kPsum || Partitions(tensor) <= PartitionCount(64));
    }
    const BinSet bins = BinsOf(kernel);
    shares.Case();
    shares.Count("PSUM blocks", (bins & Only(Bin::kPsumBlocks)) != 0);
    shares.Count("partial PSUM writes", (bins & Only(Bin::kPsumParts)) != 0);
  });
  shares.AtLeast("PSUM blocks", 10);
  shares.AtLeast("partial PSUM writes", 15);
}

}  // namespace
}  // namespace spillway
