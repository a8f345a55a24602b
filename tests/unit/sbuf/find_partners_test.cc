#include "model/alloc/sbuf/find_partners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/sbuf/small_kernel.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Bytes kPlenty{1024};

struct Product {
  SmallKernel k;
  TensorId a;
  TensorId b;

  Product(std::int64_t rows_a, std::int64_t rows_b, TensorOptions options_a = {}) {
    a = k.Sbuf("a", 8, rows_a, std::move(options_a));
    b = k.Sbuf("b", 8, rows_b);
  }
  void Multiply(AffineExpr first_a, AffineExpr first_b, std::int64_t rows) {
    const TensorId p = k.b.Psum("p" + std::to_string(serial++), DType::kFloat32, {8, 8});
    k.b.Instruction("nc_matmul")
        .Out("dst", k.b.Whole(p))
        .In("stationary", k.b.Whole(a).Partitions(std::move(first_a), rows))
        .In("moving", k.b.Whole(b).Partitions(std::move(first_b), rows))
        .Attr("accumulate", false);
  }
  Partners Find(Bytes capacity = kPlenty) const { return FindPartners(k.Linear(), capacity); }
  int serial = 0;
};

TEST(FindPartners, OperandsOfAMatmulGetOneBase) {
  Product product(32, 64);
  product.Multiply(0, 0, 32);
  EXPECT_EQ(product.Find().base[product.a], Partition(0));
  EXPECT_EQ(product.Find().base[product.b], Partition(0));
}

TEST(FindPartners, BasesDifferByWhereTheOperandsStartInTheirTensors) {
  Product product(32, 128);
  product.Multiply(0, 96, 32);
  const Partners partners = product.Find();
  // b is full and starts at 0, so its rows 96 to 128 meet a at partition 96.
  EXPECT_EQ(partners.base[product.a], Partition(96));
  EXPECT_EQ(partners.base[product.b], std::nullopt);
}

TEST(FindPartners, AHandPlacedTensorFixesTheBaseOfItsGroup) {
  Product product(32, 32, {.at = {{Partition(64), ByteOffset(0)}}});
  product.Multiply(0, 0, 32);
  const Partners partners = product.Find();
  EXPECT_EQ(partners.base[product.b], Partition(64));
  EXPECT_EQ(partners.base[product.a], std::nullopt);
}

TEST(FindPartners, ABaseThatNoLegalStartAllowsLeavesThePairApart) {
  // Row 32 of a 64-partition tensor beside row 0 of another half tensor: 32 is no start for a half.
  Product product(64, 64);
  product.Multiply(32, 0, 32);
  EXPECT_EQ(product.Find().base[product.a], std::nullopt);
  EXPECT_EQ(product.Find().base[product.b], std::nullopt);
}

TEST(FindPartners, AStartThatMovesWithALoopTiesNothing) {
  Product product(128, 32);
  product.k.Loop("i", 4);
  product.Multiply(product.k.Index("i") * 32, 0, 32);
  product.k.End();
  EXPECT_EQ(product.Find().base[product.b], std::nullopt);
}

TEST(FindPartners, AGroupTooLargeForItsBandSwitchesGroupingOff) {
  Product product(32, 32);
  product.Multiply(0, 0, 32);
  product.k.b.Copy(product.k.b.Whole(product.a), product.k.b.Whole(product.b));
  const Partners partners = product.Find(Bytes(15));
  EXPECT_THAT(partners.note, ::testing::HasSubstr("accumulation group is too large for SB"));
  EXPECT_EQ(partners.base[product.a], std::nullopt);
  EXPECT_THAT(partners.of[product.a], IsEmpty());
  EXPECT_THAT(product.Find(Bytes(16)).note, IsEmpty());
}

TEST(FindPartners, CopiesArePartnersWithoutABase) {
  SmallKernel k;
  const TensorId a = k.Sbuf("a", 8, 32);
  const TensorId b = k.Sbuf("b", 8, 32);
  const TensorId c = k.Sbuf("c", 8, 32);
  k.b.Copy(k.b.Whole(b), k.b.Whole(a));
  k.b.Copy(k.b.Whole(c), k.b.Whole(a));
  k.b.Copy(k.b.Whole(a), k.b.Whole(a));
  const Partners partners = FindPartners(k.Linear(), kPlenty);
  EXPECT_THAT(partners.of[a], ElementsAre(b, c));
  EXPECT_THAT(partners.of[b], ElementsAre(a));
  EXPECT_EQ(partners.base[a], std::nullopt);
}

}  // namespace
}  // namespace spillway
