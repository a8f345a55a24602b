// Rotating buffers by the address law, and the kernels made of them.
#include "properties/modulo_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/place_homes.h"
#include "properties/allocation_problem.h"
#include "properties/judge.h"
#include "properties/rotating_kernel.h"

namespace spillway {
namespace {

using testing::ElementsAre;

Tensor Ring(std::int64_t elements, std::int64_t blocks) {
  Tensor tensor;
  tensor.name = "ring";
  tensor.dtype = DType::kBfloat16;
  tensor.shape = {128, elements};
  tensor.blocks = {blocks};
  return tensor;
}

TEST(ModuloPlacement, PutsBlockIIntoSlotIModuloTheDepth) {
  const Tensor tensor = Ring(4, 5);
  const ModuloPlacement placement = PlaceModulo(tensor, ByteOffset(64), 2, Bytes(8));
  std::vector<std::int64_t> bytes;
  for (const Address& address : AddressesOf(placement, tensor)) bytes.push_back(address.byte.value);
  EXPECT_THAT(bytes, ElementsAre(64, 72, 64, 72, 64));
  EXPECT_EQ(EndOf(placement), ByteOffset(80));
}

TEST(ModuloPlacement, RoundsItsStrideToTheGranule) {
  EXPECT_EQ(PlaceModulo(Ring(5, 3), ByteOffset(0), 3, Bytes(8)).stride, Bytes(16));
}

TEST(ModuloPlacement, NeedsASlotMoreThanTheSkewOfItsReads) { EXPECT_EQ(DepthFor(2), 3); }

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
