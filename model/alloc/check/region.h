// What accesses touch while loops are still unresolved.
#pragma once

#include <vector>

#include "model/alloc/check/block_planes.h"
#include "model/alloc/ir/linear_kernel.h"

namespace spillway::check {

/// The part of an access's position that depends on loops. Two accesses with equal places lie at a
/// known distance within one iteration; nothing is known of two places that differ.
struct Place {
  std::vector<AffineExpr> block;  ///< a term per block dimension; their sum is the row-major index
  AffineExpr partition;
  AffineExpr byte;

  bool IsConstant() const;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Bytes of one tensor, accessed where `when` holds.
struct Region {
  Place place;
  std::vector<Predicate> when;
  BlockPlanes relative;  ///< what is touched, as distances from `place`; unused if that is constant
  BlockPlanes bound;     ///< what any iteration may touch; exact where the place is constant

  bool empty() const { return bound.empty() || (!place.IsConstant() && relative.empty()); }
};

/// Regions of one tensor; an access lies in the set if one of the regions holds it.
class RegionSet {
 public:
  bool empty() const { return regions_.empty(); }
  const std::vector<Region>& regions() const { return regions_; }
  void Add(const Region& region);
  void Add(const RegionSet& other);
  /// Takes out what `written` certainly overwrites at the same place. Where it writes under a
  /// predicate that a region doesn't have, what it overwrites stays under the opposite predicate.
  void Kill(const Region& written);
  void Kill(const RegionSet& written);
  /// Takes out what lies outside `available`.
  void RestrictTo(const BlockPlanes& available);

 private:
  std::vector<Region> regions_;
};

/// An access as a region, and whether a write of it certainly reaches all of `relative`.
struct AccessRegion {
  Region region;
  bool is_exact = false;
};
AccessRegion RegionOf(const LinearKernel& linear, PointId point, const Access& access);

/// What remains true of `regions`, said of one iteration of `loop`, once all its iterations are
/// done: regions certainly touched by all iterations together…
RegionSet CertainlyOver(const Loop& loop, LoopId id, const RegionSet& regions);
/// …and regions possibly touched by any of them.
RegionSet PossiblyOver(const Loop& loop, LoopId id, const RegionSet& regions);

/// What the loop may read that it hasn't written in an earlier iteration. `reads` and `writes` are
/// what one iteration may read before it writes it, and what it certainly writes.
RegionSet ExposedOver(const Loop& loop, LoopId id, const RegionSet& reads, const RegionSet& writes);

}  // namespace spillway::check
