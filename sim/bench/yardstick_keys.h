// What benches sort to say how fast the computer is.
#pragma once

#include <cstdint>
#include <vector>

namespace spillway {

/// A million fixed keys: a second of sorting them on another machine is a second of the rest there.
inline std::vector<std::uint64_t> YardstickKeys() {
  std::vector<std::uint64_t> keys(1'000'000);
  std::uint64_t state = 1;
  for (std::uint64_t& key : keys) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    key = state;
  }
  return keys;
}

}  // namespace spillway
