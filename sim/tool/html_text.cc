#include "sim/tool/html_text.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool IsContinuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
}

// Bytes of the UTF-8 sequence at `at`, 0 if there is none: overlong forms, surrogates and code
// points past U+10FFFF are none.
std::size_t SequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text, at + i)) return 0;
  }
  const unsigned char second = byte(at + 1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
  return length;
}

std::string_view Reference(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\n': return "\\n";
    case '\t': return "\\t";
    default: return {};
  }
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = SequenceLength(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (const std::string_view reference = Reference(text[at]); !reference.empty()) {
      escaped += reference;
    } else if (length == 0 || byte < 0x20 || byte == 0x7f) {
      escaped += kReplacement;
    } else {
      escaped += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return escaped;
}

std::string Shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return Escape(text);
  std::size_t head = longest * 2 / 3;
  std::size_t tail = text.size() - (longest - head);
  while (head > 0 && IsContinuation(text, head)) --head;
  while (IsContinuation(text, tail)) ++tail;
  return Escape(text.substr(0, head)) + "…" + Escape(text.substr(tail));
}

std::string Px(double value) {
  const auto tenths = static_cast<std::int64_t>(std::llround(value * 10.0));
  if (tenths % 10 == 0) return std::to_string(tenths / 10);
  return fmt::format("{}{}.{}", tenths < 0 ? "-" : "", std::abs(tenths) / 10,
                     std::abs(tenths) % 10);
}

std::string Percent(double share) { return fmt::format("{:.1f}%", share * 100.0); }

std::string Duration(Picoseconds time) {
  const auto nanoseconds = static_cast<double>(time.value) / 1e3;
  if (time.value < 1'000'000) return fmt::format("{:.4g} ns", nanoseconds);
  if (time.value < 1'000'000'000) return fmt::format("{:.4g} µs", nanoseconds / 1e3);
  return fmt::format("{:.4g} ms", nanoseconds / 1e6);
}

std::string Counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", Grouped(count), noun, count == 1 ? "" : "s");
}

std::string Size(Bytes bytes) {
  if (bytes.value < 4096) return fmt::format("{} B", Grouped(bytes.value));
  return fmt::format("{} B ({:.4g} KiB)", Grouped(bytes.value),
                     static_cast<double>(bytes.value) / 1024.0);
}

}  // namespace spillway::html
