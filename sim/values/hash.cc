#include "sim/values/hash.h"

#if defined(__x86_64__)
// The library picks the widest vectors that the processor has; the hash is the same with all.
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace spillway {

std::uint64_t HashBytes(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t HashText(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace spillway
