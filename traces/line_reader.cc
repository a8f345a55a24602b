#include "traces/line_reader.h"

#include <fmt/format.h>

#include "traces/faults.h"

namespace spillway {

LineReader::LineReader(std::istream& in, std::int64_t max_lines, std::size_t max_line_bytes,
                       std::int64_t max_bytes)
    : source_(in), max_lines_(max_lines), max_line_bytes_(max_line_bytes), max_bytes_(max_bytes) {}

Result<bool> LineReader::Next() {
  const auto fail = [&](Error error) {
    error.line = number_ + 1;
    return Fail(std::move(error));
  };
  line_.clear();
  bool any = false;
  for (;;) {
    if (piece_.empty()) {
      const Result<std::string_view> next = source_.Next();
      if (!next) return fail(next.error());
      piece_ = *next;
      if (piece_.empty()) break;
      // A small compressed file may stand for any number of bytes.
      max_bytes_ -= static_cast<std::int64_t>(piece_.size());
      if (max_bytes_ < 0) {
        return fail(MakeError(Fault::kFileTooLong, "expected fewer bytes in all lines together"));
      }
    }
    if (number_ >= max_lines_) {
      return fail(MakeError(Fault::kTooManyLines,
                            fmt::format("expected at most {} lines, found more", max_lines_)));
    }
    any = true;
    const std::size_t newline = piece_.find('\n');
    const std::string_view part = piece_.substr(0, newline);
    if (line_.size() + part.size() > max_line_bytes_) {
      return fail(MakeError(
          Fault::kLineTooLong,
          fmt::format("expected at most {} bytes in a line, found more", max_line_bytes_)));
    }
    line_ += part;
    if (newline == std::string_view::npos) {
      piece_ = {};
      continue;
    }
    piece_.remove_prefix(newline + 1);
    break;
  }
  if (any) ++number_;
  return any;
}

bool IsUtf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t i = 0;
  while (i < text.size()) {
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || i + length > text.size()) return false;
    // The second byte's range closes overlong forms, surrogates and what lies past U+10FFFF.
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(i + 1) < low || byte(i + 1) > high) return false;
    for (std::size_t k = 2; k < length; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace spillway
