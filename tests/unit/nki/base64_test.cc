#include "model/alloc/nki/base64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::nki {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Base64, HasTheVectorsOfItsStandard) {
  // Source: RFC 4648, section 10.
  for (const auto& [bytes, text] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"f", "Zg=="},
           {"fo", "Zm8="},
           {"foo", "Zm9v"},
           {"foob", "Zm9vYg=="},
           {"fooba", "Zm9vYmE="},
           {"foobar", "Zm9vYmFy"},
           {std::string("\xfb\xff\xbf\x00\x10\x83", 6), "+/+/ABCD"}}) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(DecodeBase64(text), bytes);
  }
}

struct Bad {
  std::string text;
  const char* code;
  const char* place;
  const char* found;
};

TEST(Base64, RefusesEveryOtherSpellingWithItsPlace) {
  const std::vector<Bad> table = {
      {"Zm9v\n", "base64-character", "byte 4", "0x0a"},
      {"Zm 9v", "base64-character", "byte 2", "0x20"},
      {"Zm9-", "base64-character", "byte 3", "0x2d"},
      {"Zm9_", "base64-character", "byte 3", "0x5f"},
      {std::string("Zm\0v", 4), "base64-character", "byte 2", "0x00"},
      {"Zm9\xff", "base64-character", "byte 3", "0xff"},
      {"Z", "base64-length", "byte 0", "1 of 1 in all"},
      {"Zm9vY", "base64-length", "byte 4", "1 of 5 in all"},
      {"Z===", "base64-length", "byte 0", "1 of 1"},
      {"Zg", "base64-padding", "byte 2", "expected \"==\""},
      {"Zg=", "base64-padding", "byte 2", "found 1 bytes"},
      {"Zg===", "base64-padding", "byte 2", "found 3 bytes"},
      {"Zm8", "base64-padding", "byte 3", "expected \"=\""},
      {"Zm8==", "base64-padding", "byte 3", "found 2 bytes"},
      {"Zm9v=", "base64-padding", "byte 4", "expected no '='"},
      {"====", "base64-padding", "byte 0", "expected no '='"},
      {"Zg==Zg==", "base64-padding", "byte 2", "found 6 bytes"},
      {"Zg=x", "base64-padding", "byte 2", "found 2 bytes"},
      {"Zh==", "base64-trailing-bits", "byte 1", "found 'h'"},
      {"Zm9vYmF=", "base64-trailing-bits", "byte 6", "expected 'E'"},
  };
  for (const Bad& row : table) {
    const Result<std::string> bytes = DecodeBase64(row.text);
    ASSERT_FALSE(bytes.has_value()) << row.text;
    EXPECT_EQ(bytes.error().code, row.code) << row.text;
    EXPECT_THAT(bytes.error().message, AllOf(HasSubstr(row.place), HasSubstr(row.found)))
        << row.text;
  }
}

TEST(Base64, OfEveryTwoBytesComesBackAndNoOtherTextStandsForThem) {
  for (int high = 0; high < 256; ++high) {
    for (int low = 0; low < 256; low += 7) {
      const std::string bytes = {static_cast<char>(high), static_cast<char>(low)};
      const std::string text = EncodeBase64(bytes);
      ASSERT_EQ(DecodeBase64(text), bytes);
      std::string other = text;
      for (const char last : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                              "0123456789+/")) {
        other[2] = last;
        const Result<std::string> decoded = DecodeBase64(other);
        ASSERT_EQ(decoded == bytes, other == text);
      }
    }
  }
}

}  // namespace
}  // namespace spillway::nki
