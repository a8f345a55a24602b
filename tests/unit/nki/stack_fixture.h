// Short words for tests of the stack manager.
#pragma once

#include <gtest/gtest.h>

#include "model/alloc/nki/stack_manager.h"

namespace spillway::nki {

inline const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

inline StackOptions Window(std::int64_t lower, std::int64_t upper) {
  StackOptions options;
  options.window = Interval<ByteOffset>{ByteOffset(lower), ByteOffset(upper)};
  return options;
}
inline StackManager Manager(std::int64_t lower, std::int64_t upper) {
  return *StackManager::Create(Trn2(), Window(lower, upper));
}

/// A tile of all partitions and `bytes` elements of one byte.
inline TileRequest Tile(std::string name, std::int64_t bytes, std::optional<Bytes> align = {}) {
  return {std::move(name), {128, bytes}, "uint8", Space::kSbuf, Partition(0), align};
}

/// The byte where a tile was put; -1 and a failed test where it wasn't.
inline std::int64_t ByteOf(const Result<TileAllocation>& tile) {
  if (tile && tile->address) return tile->address->byte.value;
  ADD_FAILURE() << (tile ? "no address" : tile.error().ToString());
  return -1;
}

/// The code of a refusal; "" where there was none.
template <class T>
std::string CodeOf(const Result<T>& result) {
  return result ? "" : result.error().code;
}

}  // namespace spillway::nki
