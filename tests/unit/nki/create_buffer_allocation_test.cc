// Addresses of blocks: laws in one and two dimensions, functions of authors, and whole kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/allocate.h"
#include "tests/unit/nki/allocation_cases.h"

namespace spillway::nki {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;

Places PlacesOf(const std::vector<Address>& addresses) {
  Places places;
  for (const Address& address : addresses)
    places.emplace_back(address.partition.value, address.byte.value);
  return places;
}

struct LawRow {
  std::string what;
  Tensor tensor;
  ModuloLaw law;
  Places places;
};

std::vector<LawRow> SbufLaws() {
  return {
      {"seed 000: base + (i mod n) * bytes",
       SbufTiles(128, 100, {5}),
       {.base_addr = ByteOffset(1000), .num_free_tiles = {2}},
       {{0, 1000}, {0, 1100}, {0, 1000}, {0, 1100}, {0, 1000}}},
      {"no counts: one tile for all",
       SbufTiles(128, 100, {2, 2}),
       {.base_addr = ByteOffset(64)},
       {{0, 64}, {0, 64}, {0, 64}, {0, 64}}},
      {"no blocks", SbufTiles(128, 100), {.base_addr = ByteOffset(8)}, {{0, 8}}},
      {"one tile: a degree of 1",
       SbufTiles(128, 100, {2}),
       {.num_free_tiles = {1}},
       {{0, 0}, {0, 0}}},
      {"two dimensions, row-major over the counts and not over the blocks",
       SbufTiles(128, 10, {2, 5}),
       {.num_free_tiles = {2, 3}},
       {{0, 0}, {0, 10}, {0, 20}, {0, 0}, {0, 10}, {0, 30}, {0, 40}, {0, 50}, {0, 30}, {0, 40}}},
      {"the outer dimension alone",
       SbufTiles(128, 10, {3, 2}),
       {.num_free_tiles = {2, 1}},
       {{0, 0}, {0, 0}, {0, 10}, {0, 10}, {0, 0}, {0, 0}}},
      {"partitions and bytes by tuples of their own",
       SbufTiles(32, 10, {4, 3}),
       {.num_par_tiles = {4, 1}, .num_free_tiles = {1, 2}},
       {{0, 0},
        {0, 10},
        {0, 0},
        {32, 0},
        {32, 10},
        {32, 0},
        {64, 0},
        {64, 10},
        {64, 0},
        {96, 0},
        {96, 10},
        {96, 0}}},
  };
}

// PSUM bytes count through all banks.
std::vector<LawRow> PsumLaws() {
  return {
      {"banks in turn",
       PsumTiles(128, 2048, {5}),
       {.base_bank = BankId(3), .num_bank_tiles = {2}},
       {{0, 3 * 2048}, {0, 4 * 2048}, {0, 3 * 2048}, {0, 4 * 2048}, {0, 3 * 2048}}},
      {"the product's banks of a published attention kernel",
       PsumTiles(128, 2048, {2, 4}),
       {.num_bank_tiles = {2, 4}},
       {{0, 0}, {0, 2048}, {0, 4096}, {0, 6144}, {0, 8192}, {0, 10240}, {0, 12288}, {0, 14336}}},
      {"banks 0 to 3 asked for, banks 0 to 3 used",
       PsumTiles(128, 512, {6}),
       {.num_bank_tiles = {4}, .num_par_tiles = {1}, .num_free_tiles = {1}},
       {{0, 0}, {0, 2048}, {0, 4096}, {0, 6144}, {0, 0}, {0, 2048}}},
  };
}

TEST(CreateBufferAllocationOnBlocks, FollowsTheLaw) {
  for (const Target& target : BuiltInTargets()) {
    if (target.name == "inf1") continue;  // PSUM of 64 partitions
    for (const LawRow& row : SbufLaws()) {
      const auto at =
          CreateBufferAllocationOnBlocks(row.tensor, SbufModuloAllocFunc{row.law}, target);
      ASSERT_TRUE(at.has_value()) << row.what << TextOf(at.error());
      EXPECT_EQ(PlacesOf(*at), row.places) << row.what;
    }
    for (const LawRow& row : PsumLaws()) {
      const auto at =
          CreateBufferAllocationOnBlocks(row.tensor, PsumModuloAllocFunc{row.law}, target);
      ASSERT_TRUE(at.has_value()) << row.what << TextOf(at.error());
      EXPECT_EQ(PlacesOf(*at), row.places) << row.what;
    }
  }
}

TEST(CreateBufferAllocationOnBlocks, TakesAnAuthorsBankMap) {
  const std::map<std::int64_t, std::int64_t> bank_map = {{0, 1}, {1, 5}};
  const TileFunction func = [bank_map](std::span<const std::int64_t> idx, PartitionCount, Bytes) {
    return std::vector<std::int64_t>{bank_map.at(idx[0]), 0, 0};
  };
  const auto at = CreateBufferAllocationOnBlocks(PsumTiles(128, 512, {2}), PsumAllocFunc{func},
                                                 BuiltIn("trn2"));
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(PlacesOf(*at), (Places{{0, 2048}, {0, 10240}}));
  const auto missing = CreateBufferAllocationOnBlocks(PsumTiles(128, 512, {3}), PsumAllocFunc{func},
                                                      BuiltIn("trn2"));
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(RulesOf(missing.error()), ElementsAre("function"));
}

TEST(CreateBufferAllocationOnBlocks, GivesNoAddressWhereOneBlockIsIllegal) {
  const TileFunction func = [](std::span<const std::int64_t> idx, PartitionCount, Bytes) {
    return std::vector<std::int64_t>{idx[0] * 32, 0};
  };
  const auto at =
      CreateBufferAllocationOnBlocks(SbufTiles(64, 8, {3}), SbufAllocFunc{func}, BuiltIn("trn2"));
  ASSERT_FALSE(at.has_value());
  ASSERT_EQ(at.error().size(), 1u);
  EXPECT_EQ(BlockOf(at.error().front()), "(1,)");
}

Kernel ThreeTensors() {
  KernelBuilder b("three", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, 64}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, 64}, Role::kOutput);
  const TensorId tile = b.Sbuf("tile", DType::kFloat32, {128, 64}, {.blocks = {4}});
  b.Psum("product", DType::kFloat32, {128, 64}, {.blocks = {2}});
  b.Sbuf("left", DType::kFloat32, {128, 64}, {.at = {{Partition(0), ByteOffset(4096)}}});
  b.Copy(b.Whole(tile).Block({0}), b.Whole(x).Tile(0, 128, 0, 64));
  b.Copy(b.Whole(y).Tile(0, 128, 0, 64), b.Whole(tile).Block({0}));
  return b.Build();
}

const Tensor& Named(const Kernel& kernel, std::string_view name) {
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::out_of_range(std::string(name));
}

TEST(Allocate, PutsLawsAndAddressesOnANewKernel) {
  const Kernel kernel = ThreeTensors();
  const ModuloLaw law{.base_addr = ByteOffset(512), .num_free_tiles = {2}};
  const auto placed = Allocate(
      kernel, {{"tile", SbufModuloAllocFunc{law}}, {"product", PsumAt(3, 0, 0)}}, BuiltIn("trn2"));
  ASSERT_TRUE(placed.has_value()) << TextOf(placed.error());
  EXPECT_EQ(PlacesOf(Named(*placed, "tile").at), (Places{{0, 512}, {0, 768}, {0, 512}, {0, 768}}));
  EXPECT_EQ(Named(*placed, "tile").alloc, law);
  EXPECT_TRUE(FollowsModuloLaw(Named(*placed, "tile")));
  EXPECT_EQ(PlacesOf(Named(*placed, "product").at), (Places{{0, 6144}, {0, 6144}}));
  EXPECT_FALSE(Named(*placed, "tile").by_function);
  EXPECT_FALSE(Named(*placed, "product").alloc.has_value());
  EXPECT_TRUE(Named(*placed, "product").by_function);
  EXPECT_EQ(Named(*placed, "left"), Named(kernel, "left"));
  EXPECT_EQ(placed->version, 2);
  EXPECT_EQ(kernel, ThreeTensors());
}

TEST(Allocate, LeavesTheVersionWhereNoFunctionNeedsTheNextOne) {
  const Target target = BuiltIn("trn2");
  const auto automatic =
      Allocate(ThreeTensors(), {{"product", AutoAlloc{Space::kPsum}}}, target).value();
  EXPECT_EQ(automatic.version, 1);
  const auto placed = Allocate(ThreeTensors(), {{"product", PsumAt(3, 0, 0)}}, target).value();
  EXPECT_EQ(placed.version, 2);
}

TEST(Allocate, TakesPlacesAwayWhereATensorIsAutomatic) {
  const Target target = BuiltIn("trn2");
  const auto placed =
      Allocate(ThreeTensors(), {{"tile", SbufModuloAllocFunc{{}}}, {"product", PsumAt(3, 0, 0)}},
               target)
          .value();
  const auto automatic = Allocate(placed,
                                  {{"tile", AutoAlloc{Space::kSbuf}},
                                   {"left", AutoAlloc{Space::kSbuf}},
                                   {"product", AutoAlloc{Space::kPsum}}},
                                  target);
  ASSERT_TRUE(automatic.has_value());
  EXPECT_THAT(Named(*automatic, "product").at, IsEmpty());
  EXPECT_FALSE(Named(*automatic, "product").by_function);
  EXPECT_THAT(Named(*automatic, "tile").at, IsEmpty());
  EXPECT_FALSE(Named(*automatic, "tile").alloc.has_value());
  EXPECT_THAT(Named(*automatic, "left").at, IsEmpty());
}

TEST(Allocate, ReportsUnknownNamesWrongMemoriesAndBrokenRulesTogether) {
  const auto placed = Allocate(ThreeTensors(),
                               {{"tile", PsumAt(0, 0, 0)},
                                {"x", SbufAt(0, 0)},
                                {"left", SbufAt(0, 212984)},
                                {"lft", SbufAt(0, 0)}},
                               BuiltIn("trn2"));
  ASSERT_FALSE(placed.has_value());
  std::vector<std::pair<std::string, std::string>> found;
  for (const Violation& violation : placed.error())
    found.emplace_back(violation.tensors.front(), RuleOf(violation));
  EXPECT_THAT(found,
              ElementsAre(std::pair("x", "memory"), std::pair("tile", "memory"),
                          std::pair("left", "sbuf-window"), std::pair("lft", "unknown-tensor")));
  EXPECT_EQ(placed.error().back().kind, Kind::kUnknownName);
}

}  // namespace
}  // namespace spillway::nki
