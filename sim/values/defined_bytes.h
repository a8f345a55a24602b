// Which bytes of one block something has written.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/hw/interval.h"

namespace spillway {

/// A bit a byte, but only while some are defined and some aren't.
class DefinedBytes {
 public:
  explicit DefinedBytes(std::int64_t size, bool defined = false);

  bool all() const { return undefined_ == 0; }
  std::int64_t undefined() const { return undefined_; }
  bool Get(std::int64_t at) const;
  /// Bytes of [begin, end) that aren't defined: the stretch from the first to the last; nothing if
  /// all are.
  std::optional<Interval<std::int64_t>> UndefinedIn(std::int64_t begin, std::int64_t end) const;
  std::int64_t CountUndefined(std::int64_t begin, std::int64_t end) const;
  void Set(std::int64_t begin, std::int64_t end, bool defined);

 private:
  /// Calls visit(word index, mask of the bits of [begin, end) in it).
  template <class Visit>
  static void ForEachWord(std::int64_t begin, std::int64_t end, Visit visit);

  std::int64_t size_ = 0;
  std::int64_t undefined_ = 0;
  std::vector<std::uint64_t> words_;  ///< empty where all or none are defined
};

}  // namespace spillway
