// A kernel's tensors at the places that an allocator of the library gave.
#include "model/alloc/nki/with_tiles.h"

#include <gmock/gmock.h>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/modular_allocator.h"
#include "tests/unit/nki/stack_fixture.h"

namespace spillway::nki {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Kernel ThreeTensors() {
  KernelBuilder b("k", "trn2");
  b.Sbuf("a", DType::kBfloat16, {64, 8});
  b.Sbuf("ring", DType::kUint8, {128, 10}, {.blocks = {3}});
  b.Psum("p", DType::kFloat32, {128, 8});
  return b.Build();
}

TEST(WithTiles, GivesTensorsTheirAddressesBlockByBlock) {
  StackManager manager = Manager(0, 1000);
  ASSERT_TRUE(manager.OpenScope().has_value());
  ASSERT_TRUE(manager.AllocStack({"a", {64, 8}, "bfloat16", Space::kSbuf, Partition(64), {}}));
  ASSERT_TRUE(manager.Alloc({"a", {64, 8}, "bfloat16", Space::kDram, {}, {}}).has_value());
  std::vector<TileAllocation> tiles = manager.tiles();
  ModularAllocator modular =
      *ModularAllocator::Create(Trn2(), Interval<ByteOffset>{ByteOffset(100), ByteOffset(200)});
  const auto ring = modular.Alloc({Tile("ring", 10), {3}, {2}});
  tiles.insert(tiles.end(), ring->tiles.begin(), ring->tiles.end());
  const auto kernel = WithTiles(ThreeTensors(), tiles);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  EXPECT_THAT(kernel->tensors[TensorId(0)].at, ElementsAre(Address{Partition(64), ByteOffset(0)}));
  EXPECT_THAT(kernel->tensors[TensorId(1)].at, ElementsAre(Address{Partition(0), ByteOffset(100)},
                                                           Address{Partition(0), ByteOffset(110)},
                                                           Address{Partition(0), ByteOffset(100)}));
  EXPECT_THAT(kernel->tensors[TensorId(2)].at, IsEmpty());
}

TEST(WithTiles, RefusesWhatDoesNotSuitTheTensor) {
  const auto tile = [](const char* name, std::vector<std::int64_t> shape, const char* dtype) {
    return TileAllocation{name,      std::move(shape),   dtype, Bytes(1),
                          Address{}, TileRegion::kStack, {}};
  };
  TileAllocation unpinned = tile("a", {64, 8}, "bfloat16");
  unpinned.address.reset();
  struct Row {
    TileAllocation tile;
    const char* code;
    const char* words;
  };
  for (const Row& row : {
           Row{tile("b", {64, 8}, "bfloat16"), "tile-without-tensor", "name of tile 'b'"},
           Row{tile("p", {128, 8}, "float32"), "tile-tensor-space",
               "the tensor of its name in psum"},
           Row{tile("a", {64, 9}, "bfloat16"), "tile-tensor-shape",
               "is (64, 9) bfloat16, the tensor of its name (64, 8) bfloat16"},
           Row{tile("a", {64, 8}, "float32"), "tile-tensor-shape", "(64, 8) float32"},
           Row{tile("a", {64, 8}, "complex"), "unknown-dtype", "complex"},
           Row{tile("ring", {128, 10}, "uint8"), "tile-tensor-blocks", "3 blocks and 1 tiles"},
           Row{unpinned, "tile-without-address", "automatic mode"},
       }) {
    const auto kernel = WithTiles(ThreeTensors(), std::vector{row.tile});
    ASSERT_EQ(CodeOf(kernel), row.code);
    EXPECT_THAT(kernel.error().message, HasSubstr(row.words));
  }
}

}  // namespace
}  // namespace spillway::nki
