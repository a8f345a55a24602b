#include "sim/tool/check_limits.h"

#include <fmt/format.h>

namespace spillway {

std::optional<Error> CheckLimits(const ToolOptions& options, const Target& target) {
  if (options.sbuf_bytes && *options.sbuf_bytes > target.sbuf_usable_bytes.value) {
    return Error{
        Kind::kLimit, "sbuf-bytes",
        fmt::format("--sbuf-bytes {} is more than the {} usable bytes of {}",
                    options.sbuf_bytes->value, target.sbuf_usable_bytes.value.value, target.name),
        "", 0};
  }
  if (options.psum_banks && *options.psum_banks > UsablePsumBanks(target)) {
    return Error{Kind::kLimit, "psum-banks",
                 fmt::format("--psum-banks {} is more than the {} banks of {}",
                             options.psum_banks->value, UsablePsumBanks(target).value, target.name),
                 "", 0};
  }
  return std::nullopt;
}

}  // namespace spillway
