#include "traces/byte_source.h"

#include <fmt/format.h>
#include <zstd.h>

#include "traces/faults.h"

namespace spillway {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

}  // namespace

struct ByteSource::Zstd {
  ZSTD_DStream* stream = ZSTD_createDStream();
  std::vector<char> out = std::vector<char>(ZSTD_DStreamOutSize());
  bool inside_frame = true;

  Zstd() = default;
  ~Zstd() { ZSTD_freeDStream(stream); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
};

ByteSource::ByteSource(std::istream& in) : in_(in), raw_(kPieceBytes) {}
ByteSource::~ByteSource() = default;

Result<std::string_view> ByteSource::NextRaw() {
  if (!pending_.empty()) return std::exchange(pending_, {});
  if (!in_.good() && in_.eof()) return std::string_view();
  in_.read(raw_.data(), static_cast<std::streamsize>(raw_.size()));
  if (in_.bad() || (in_.fail() && !in_.eof())) {
    return Fail(MakeError(Fault::kFileUnreadable, "the file opens but reading it fails"));
  }
  return std::string_view(raw_.data(), static_cast<std::size_t>(in_.gcount()));
}

Result<std::string_view> ByteSource::Next() {
  if (!started_) {
    started_ = true;
    const Result<std::string_view> first = NextRaw();
    if (!first) return first;
    if (first->starts_with(kZstdMagic)) zstd_ = std::make_unique<Zstd>();
    if (!zstd_) return first;
    pending_ = *first;
  }
  return zstd_ ? NextDecompressed() : NextRaw();
}

Result<std::string_view> ByteSource::NextDecompressed() {
  for (;;) {
    const Result<std::string_view> raw = NextRaw();
    if (!raw) return raw;
    ZSTD_inBuffer input{raw->data(), raw->size(), 0};
    ZSTD_outBuffer output{zstd_->out.data(), zstd_->out.size(), 0};
    // Output may still be held back when all input is consumed, so an empty input is worth a call.
    const std::size_t rest = ZSTD_decompressStream(zstd_->stream, &output, &input);
    if (ZSTD_isError(rest) != 0) {
      return Fail(MakeError(Fault::kZstdCorrupt, fmt::format("expected a zstd stream, found: {}",
                                                             ZSTD_getErrorName(rest))));
    }
    if (output.pos > 0 || input.pos > 0) zstd_->inside_frame = rest != 0;
    pending_ = raw->substr(input.pos);
    if (output.pos > 0) return std::string_view(zstd_->out.data(), output.pos);
    if (raw->empty()) {
      if (!zstd_->inside_frame) return std::string_view();
      return Fail(MakeError(Fault::kZstdTruncated,
                            "expected the rest of a zstd frame, found the end of the file"));
    }
  }
}

}  // namespace spillway
