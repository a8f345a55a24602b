// Sets of bytes in a plane of partitions x bytes, exact to the byte.
#pragma once

#include <vector>

#include "model/hw/interval.h"

namespace spillway::check {

/// Byte ranges, ascending, disjoint and not touching.
using Runs = std::vector<Interval<ByteOffset>>;

Runs UnionOf(const Runs& a, const Runs& b);
Runs DifferenceOf(const Runs& a, const Runs& b);

/// Bands of partitions, each with its byte runs: ascending, disjoint, neighbours of equal runs
/// merged, so that equal sets compare equal.
///
///     partition 0   ####..##
///               32  ####..##     two bands: [0, 64) and [64, 96)
///               64  ..######
class PlaneSet {
 public:
  struct Band {
    Interval<Partition> partitions;
    Runs runs;
    friend bool operator==(const Band&, const Band&) = default;
  };

  PlaneSet() = default;
  PlaneSet(Interval<Partition> partitions, Runs runs);

  bool empty() const { return bands_.empty(); }
  const std::vector<Band>& bands() const { return bands_; }

  void Unite(const PlaneSet& other);
  void Subtract(const PlaneSet& other);
  void IntersectWith(const PlaneSet& other);
  PlaneSet Shifted(PartitionCount partitions, Bytes bytes) const;

  friend bool operator==(const PlaneSet&, const PlaneSet&) = default;

 private:
  std::vector<Band> bands_;
};

}  // namespace spillway::check
