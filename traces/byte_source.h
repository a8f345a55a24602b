// Bytes of a file, plain or zstd-compressed, piece by piece.
#pragma once

#include <istream>
#include <memory>
#include <string_view>
#include <vector>

#include "model/hw/error.h"

namespace spillway {

/// Decompresses where the first bytes are zstd's magic number, whatever the file's name.
class ByteSource {
 public:
  explicit ByteSource(std::istream& in);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The next bytes, valid until the next call; empty at the end.
  /// Errors: file-unreadable, zstd-corrupt, zstd-truncated; without file and line.
  Result<std::string_view> Next();

 private:
  struct Zstd;
  Result<std::string_view> NextRaw();
  Result<std::string_view> NextDecompressed();

  std::istream& in_;
  std::vector<char> raw_;
  std::string_view pending_;  ///< raw bytes that were read and not yet handed on
  bool started_ = false;
  std::unique_ptr<Zstd> zstd_;  ///< null for a plain file
};

}  // namespace spillway
