#include "model/hw/rtl/bits.h"

#include <gmock/gmock.h>

namespace spillway {
namespace {

TEST(Bits, AFieldHoldsWhatWasSetAndLeavesItsNeighboursAlone) {
  for (int low = 0; low <= 192; low += 7) {
    for (const int width : {1, 5, 32, 33, 40, 63, 64}) {
      Bits bits;
      for (int i = 0; i < Bits::kWidth / 32; ++i) bits.set_word(i, 0xFFFFFFFF);
      bits.SetField(low, width, 0);
      EXPECT_EQ(bits.Field(low, width), 0U) << low << " " << width;
      const bool below = low == 0 || bits.Field(low - 1, 1) == 1;
      const bool above = low + width == Bits::kWidth || bits.Field(low + width, 1) == 1;
      EXPECT_TRUE(below && above) << low << " " << width;
      bits.SetField(low, width, 0xA5A5A5A5A5A5A5A5);
      const std::uint64_t kept = 0xA5A5A5A5A5A5A5A5 & ~std::uint64_t{0} >> (64 - width);
      EXPECT_EQ(bits.Field(low, width), kept) << low << " " << width;
    }
  }
}

TEST(Bits, PrintAsHexadecimalWithoutLeadingZeros) {
  Bits bits;
  EXPECT_EQ(bits.ToString(), "0x0");
  bits.SetField(100, 8, 0xAB);
  EXPECT_EQ(bits.ToString(), "0xab" + std::string(25, '0'));
}

}  // namespace
}  // namespace spillway
