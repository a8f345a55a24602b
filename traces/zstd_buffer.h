// A stream buffer that compresses.
#pragma once

#include <ostream>
#include <streambuf>
#include <vector>

struct ZSTD_CCtx_s;

namespace spillway {

/// Compresses what is put into it with zstd and hands it on to `out`.
class ZstdBuffer : public std::streambuf {
 public:
  explicit ZstdBuffer(std::ostream& out);
  ~ZstdBuffer() override;
  ZstdBuffer(const ZstdBuffer&) = delete;
  ZstdBuffer& operator=(const ZstdBuffer&) = delete;

  /// Ends the compressed frame; false where compressing or writing failed.
  bool Close();

 protected:
  int_type overflow(int_type c) override;

 private:
  bool Drain(bool end);

  std::ostream& out_;
  ZSTD_CCtx_s* context_;
  std::vector<char> in_bytes_;
  std::vector<char> out_bytes_;
};

}  // namespace spillway
