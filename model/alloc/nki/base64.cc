// None of the libraries that the project uses offers base64 with strict decoding, and those that
// have it (OpenSSL, Boost) pass over stray characters or bits; so here are the few lines.
#include "model/alloc/nki/base64.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace spillway::nki {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int kNone = -1;

constexpr std::array<int, 256> MakeDigits() {
  std::array<int, 256> digits{};
  digits.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int>(i);
  return digits;
}
constexpr std::array<int, 256> kDigits = MakeDigits();

int DigitOf(char c) { return kDigits[static_cast<unsigned char>(c)]; }

tl::unexpected<Error> Refuse(std::string code, std::size_t offset, std::string_view problem) {
  return Fail(
      {Kind::kSyntax, std::move(code), fmt::format("base64 byte {}: {}", offset, problem), "", 0});
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b)
      group = group << 8 | (b < count ? static_cast<unsigned char>(bytes[i + b]) : 0u);
    for (std::size_t d = 0; d < 4; ++d)
      text += d <= count ? kAlphabet[group >> (18 - 6 * d) & 63] : '=';
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  const std::size_t end = std::min(text.find('='), text.size());
  for (std::size_t i = 0; i < end; ++i) {
    if (DigitOf(text[i]) != kNone) continue;
    return Refuse("base64-character", i,
                  fmt::format("expected a letter, a digit, '+', '/' or '=', found byte 0x{:02x}",
                              static_cast<unsigned char>(text[i])));
  }
  // 2 digits need "==" behind them, 3 need "=", 4 nothing.
  const std::size_t padding = end % 4 == 0 ? 0 : 4 - end % 4;
  if (end % 4 == 1) {
    return Refuse(
        "base64-length", end - 1,
        fmt::format("expected 2, 3 or 4 digits in the last group, found 1 of {} in all", end));
  }
  if (text.substr(end) != std::string_view("==").substr(0, padding)) {
    return Refuse("base64-padding", end,
                  fmt::format("expected {} and the end of the text after {} digits, found {} bytes",
                              padding == 0   ? "no '='"
                              : padding == 1 ? "\"=\""
                                             : "\"==\"",
                              end, text.size() - end));
  }
  std::string bytes;
  bytes.reserve(end / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t i = 0; i < end; ++i) {
    bits = bits << 6 | static_cast<std::uint32_t>(DigitOf(text[i]));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  if ((bits & ((1u << held) - 1)) != 0) {
    return Refuse(
        "base64-trailing-bits", end - 1,
        fmt::format(
            "expected '{}' as the last digit, which has no bits behind the last "
            "byte, found '{}'",
            kAlphabet[static_cast<std::size_t>(DigitOf(text[end - 1])) & ~((1u << held) - 1)],
            text[end - 1]));
  }
  return bytes;
}

}  // namespace spillway::nki
