// Half-open ranges and their products.
#pragma once

#include <algorithm>

#include "model/hw/units.h"

namespace spillway {

/// [begin, end) on an axis of positions or ids.
template <class T>
struct Interval {
  T begin{};
  T end{};

  constexpr bool empty() const { return !(begin < end); }
  constexpr bool Contains(T x) const { return begin <= x && x < end; }
  constexpr bool Covers(const Interval& other) const {
    return begin <= other.begin && other.end <= end;
  }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
  friend constexpr auto operator<=>(const Interval&, const Interval&) = default;
};

/// Whether two ranges share a point; ranges that only touch don't.
template <class T>
constexpr bool Overlap(const Interval<T>& a, const Interval<T>& b) {
  return a.begin < b.end && b.begin < a.end;
}

template <class T>
constexpr Interval<T> Intersect(const Interval<T>& a, const Interval<T>& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// Smallest range that holds both.
template <class T>
constexpr Interval<T> Hull(const Interval<T>& a, const Interval<T>& b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Partitions x bytes: what a tensor occupies in SBUF or PSUM.
struct Rectangle {
  Interval<Partition> partitions;
  Interval<ByteOffset> bytes;

  friend constexpr bool operator==(const Rectangle&, const Rectangle&) = default;
};

constexpr bool Overlap(const Rectangle& a, const Rectangle& b) {
  return Overlap(a.partitions, b.partitions) && Overlap(a.bytes, b.bytes);
}

}  // namespace spillway
