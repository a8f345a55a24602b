// Who placed a tensor is forgotten together with the place.
#include "model/alloc/ir/without_places.h"

#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/match_program.h"
#include "model/alloc/ir/placement.h"

namespace spillway {
namespace {

// "ring" lies by a law, "tile" where a function put it, "bare" at an address.
Kernel Placed() {
  KernelBuilder b("k", "trn2");
  b.Sbuf("ring", DType::kFloat32, {32, 8},
         {.blocks = {4}, .alloc = ModuloLaw{.num_free_tiles = {2}}});
  b.Sbuf("tile", DType::kFloat32, {32, 8},
         {.at = {{Partition(0), ByteOffset(64)}}, .by_function = true});
  b.Sbuf("bare", DType::kFloat32, {32, 8}, {.at = {{Partition(0), ByteOffset(96)}}});
  return b.Build();
}

TEST(WithoutPlaces, ForgetsAddressesLawsAndFunctions) {
  const Kernel forgotten = WithoutPlaces(Placed());
  for (const Tensor& tensor : forgotten.tensors) {
    EXPECT_TRUE(tensor.at.empty()) << tensor.name;
    EXPECT_FALSE(tensor.alloc.has_value()) << tensor.name;
    EXPECT_FALSE(tensor.by_function) << tensor.name;
  }
}

TEST(ForgetAuthor, KeepsTheAddresses) {
  for (Tensor tensor : Placed().tensors) {
    const std::vector<Address> at = tensor.at;
    ForgetAuthor(tensor);
    EXPECT_EQ(tensor.at, at);
    EXPECT_FALSE(tensor.alloc.has_value());
    EXPECT_FALSE(tensor.by_function);
  }
}

TEST(WithPlacement, KeepsTheMarkOfAFunctionOnlyWhereTheTensorStillLiesThere) {
  const Kernel kernel = Placed();
  Placement placement = FixedPlacement(kernel);
  EXPECT_TRUE(WithPlacement(kernel, placement).tensors[TensorId(1)].by_function);
  placement.addresses[TensorId(1)].front().byte = ByteOffset(128);
  EXPECT_FALSE(WithPlacement(kernel, placement).tensors[TensorId(1)].by_function);
}

TEST(MatchProgram, TakesTheMarkOfAFunctionForAnotherWayToWriteTheSameAddresses) {
  Kernel answer = Placed();
  for (Tensor& tensor : answer.tensors) ForgetAuthor(tensor);
  EXPECT_TRUE(MatchProgram(Placed(), answer).differences.empty());
  answer.tensors[TensorId(1)].at.front().byte = ByteOffset(128);
  EXPECT_FALSE(MatchProgram(Placed(), answer).differences.empty());
}

}  // namespace
}  // namespace spillway
