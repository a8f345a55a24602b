// The law of modulo allocation, and the kernels whose buffers rotate by it.
#include "properties/modulo_law_property.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/place_homes.h"
#include "properties/allocation_problem.h"
#include "properties/judge.h"
#include "properties/rapidcheck_kernels.h"
#include "properties/rotating_kernel.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

TEST(ModuloLaw, PutsBlocksWhereCountersThatBeginAnewPutThem) {
  Shares shares;
  CheckProperty("modulo law", 2000, [&] {
    const std::vector<std::uint8_t> bytes = *AnyBytes(12);
    const std::optional<std::string> fault = CheckModuloLaw(bytes);
    if (fault) RC_FAIL(*fault);
    shares.Case();
    shares.Count("several dimensions", bytes.size() > 3 && bytes[3] % 3 != 0);
  });
  shares.AtLeast("several dimensions", 25);
}

// The seams of B22 and B23 stood in an address law of the properties' own, which no kernel file is
// read with: what its faults broke wasn't the product.
TEST(ModuloKernels, StandAtTheAddressesOfTheLawThatKernelFilesHave) {
  for (std::uint64_t index = 1; index <= 50; ++index) {
    const AllocationProblem problem = DecodeRotating(ProblemBytes(7, index));
    for (const Tensor& tensor : problem.kernel.tensors) {
      EXPECT_EQ(FollowsModuloLaw(tensor), tensor.space == Space::kSbuf) << tensor.name;
    }
  }
}

TEST(ModuloKernels, AreRightBySayOfEveryJudge) {
  for (std::uint64_t index = 1; index <= 200; ++index) {
    const AllocationProblem problem = DecodeRotating(ProblemBytes(7, index));
    const Result<Allocation> placed = AllocateHomes(problem.kernel, problem.target);
    ASSERT_TRUE(placed.has_value()) << placed.error().ToString();
    JudgedCase judged({&problem.kernel, &placed->kernel, &placed->placement, &problem.target,
                       problem.sbuf_bytes, problem.psum_banks});
    for (const JudgeId judge : AllJudges()) {
      for (const Finding& finding : judged.Ask(judge))
        ADD_FAILURE() << index << " " << JudgeName(judge) << ": " << finding.text;
    }
  }
}

}  // namespace
}  // namespace spillway
