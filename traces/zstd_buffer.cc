#include "traces/zstd_buffer.h"

#include <zstd.h>

namespace spillway {

ZstdBuffer::ZstdBuffer(std::ostream& out)
    : out_(out),
      context_(ZSTD_createCCtx()),
      in_bytes_(ZSTD_CStreamInSize()),
      out_bytes_(ZSTD_CStreamOutSize()) {
  constexpr int kLevel = 9;  // beyond it, time grows and kernel files hardly shrink
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
  setp(in_bytes_.data(), in_bytes_.data() + in_bytes_.size());
}

ZstdBuffer::~ZstdBuffer() { ZSTD_freeCCtx(context_); }

bool ZstdBuffer::Close() { return Drain(true); }

ZstdBuffer::int_type ZstdBuffer::overflow(int_type c) {
  if (!Drain(false)) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

bool ZstdBuffer::Drain(bool end) {
  ZSTD_inBuffer input{pbase(), static_cast<std::size_t>(pptr() - pbase()), 0};
  for (;;) {
    ZSTD_outBuffer output{out_bytes_.data(), out_bytes_.size(), 0};
    const std::size_t rest =
        ZSTD_compressStream2(context_, &output, &input, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(rest) != 0) return false;
    out_.write(out_bytes_.data(), static_cast<std::streamsize>(output.pos));
    if (end ? rest == 0 : input.pos == input.size) break;
  }
  setp(in_bytes_.data(), in_bytes_.data() + in_bytes_.size());
  return out_.good();
}

}  // namespace spillway
