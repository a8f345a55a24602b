#include "sim/tool/html_text.h"

#include <gtest/gtest.h>

namespace spillway::html {
namespace {

TEST(HtmlText, MarkupCharactersBecomeReferences) {
  EXPECT_EQ(Escape("<script>alert(\"x\" & 'y')</script>"),
            "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;");
}

TEST(HtmlText, LineBreaksShowAsEscapesAndControlCharactersAsReplacements) {
  EXPECT_EQ(Escape(std::string_view("a\nb\tc\0d\x7f", 8)),
            "a\\nb\\tc\xef\xbf\xbd"
            "d\xef\xbf\xbd");
}

TEST(HtmlText, OnlyUtf8Passes) {
  EXPECT_EQ(Escape("µ–€𝄞"), "µ–€𝄞");
  const std::string_view replaced = "\xef\xbf\xbd";
  EXPECT_EQ(Escape("\xff"), replaced);
  EXPECT_EQ(Escape("\xc2"), replaced);                                    // cut short
  EXPECT_EQ(Escape("\xc0\xaf").find('/'), std::string::npos);             // overlong
  EXPECT_EQ(Escape("\xed\xa0\x80").find("\xed"), std::string::npos);      // surrogate
  EXPECT_EQ(Escape("\xf4\x90\x80\x80").find("\xf4"), std::string::npos);  // past U+10FFFF
  EXPECT_EQ(Escape("\xe2\x82<"), std::string(replaced) + std::string(replaced) + "&lt;");
}

TEST(HtmlText, LongTextLosesItsMiddleBetweenWholeCharacters) {
  EXPECT_EQ(Shortened("0123456789", 10), "0123456789");
  EXPECT_EQ(Shortened("0123456789abcdef", 6), "0123…ef");
  const std::string shortened = Shortened("µµµµµµµµµµµµ", 7);
  EXPECT_EQ(shortened, "µµ…µ");
}

TEST(HtmlText, PixelsHaveTenthsOnlyWhereNeeded) {
  EXPECT_EQ(Px(12.0), "12");
  EXPECT_EQ(Px(12.34), "12.3");
  EXPECT_EQ(Px(-0.46), "-0.5");
  EXPECT_EQ(Px(0.04), "0");
}

TEST(HtmlText, DurationsChooseTheirUnit) {
  EXPECT_EQ(Duration(Picoseconds(1500)), "1.5 ns");
  EXPECT_EQ(Duration(Picoseconds(12'340'000)), "12.34 µs");
  EXPECT_EQ(Duration(Picoseconds(4'560'000'000)), "4.56 ms");
}

}  // namespace
}  // namespace spillway::html
