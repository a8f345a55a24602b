// Lines of a byte source, one at a time, within limits.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "model/hw/error.h"
#include "traces/byte_source.h"

namespace spillway {

/// Holds one line and one piece of input, never the file.
class LineReader {
 public:
  LineReader(std::istream& in, std::int64_t max_lines, std::size_t max_line_bytes,
             std::int64_t max_bytes);

  /// Reads the next line; false at the end. A last line without a newline counts.
  /// Errors: those of ByteSource, line-too-long, too-many-lines, file-too-long; with line and
  /// without file.
  Result<bool> Next();

  /// The line without its newline. The caller may change it: parsing in place does.
  std::string& line() { return line_; }
  /// 1-based number of `line()`; 0 before the first.
  std::int64_t number() const { return number_; }

 private:
  ByteSource source_;
  std::int64_t max_lines_;
  std::size_t max_line_bytes_;
  std::int64_t max_bytes_;  ///< that may still come
  std::string line_;
  std::string_view piece_;
  std::int64_t number_ = 0;
};

/// Whether `text` is well-formed UTF-8: no overlong forms, no surrogates, at most U+10FFFF.
bool IsUtf8(std::string_view text);

}  // namespace spillway
