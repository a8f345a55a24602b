// Which reads of a tensor may see a value from before a stretch of the program.
#pragma once

#include <span>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway {

/// What one access touches, as far as it is known without running the loops: equal expressions
/// name equal places within one iteration, everything else may be anywhere.
struct SymbolicRegion {
  std::vector<AffineExpr> block;
  AffineExpr partition_start;
  std::int64_t partition_count = 0;
  AffineExpr offset;  ///< in bytes, without its constant where it has no modulus
  std::vector<Interval<ByteOffset>> runs;  ///< relative to `offset`
  std::vector<Predicate> when;             ///< touched only where all hold
  bool whole_tensor = false;
  /// Not empty: `runs` is only the hull of this pattern, which has too many pieces to follow.
  std::vector<FreeDim> hull_of;
  std::int64_t block_partitions = 1;  ///< of the whole block, 1 for DRAM
  Bytes block_bytes;                  ///< of the whole block, per partition

  friend bool operator==(const SymbolicRegion&, const SymbolicRegion&) = default;
};

SymbolicRegion RegionOf(const Kernel& kernel, const Instruction& instruction, const Access& access);

/// Bytes that are certainly written, as regions that can be merged and asked.
class CoveredRegions {
 public:
  /// A region that is only known by its hull covers the same pattern alone.
  void Add(SymbolicRegion region);
  /// Whether everything that `region` touches is certainly covered. A place that depends on loops
  /// lies somewhere in its block, so a block that is covered as a whole covers it.
  bool Covers(const SymbolicRegion& region) const;
  /// `region` without the runs that one covered region with all its partitions holds; without any
  /// runs where nothing remains.
  SymbolicRegion Remaining(SymbolicRegion region) const;
  const std::vector<SymbolicRegion>& regions() const { return regions_; }

 private:
  bool CoversPlace(const SymbolicRegion& region) const;

  std::vector<SymbolicRegion> regions_;
  std::vector<SymbolicRegion> hulls_;
};

/// Effect of a stretch of accesses to one tensor, all inside loop `level` (or at the top).
struct Exposure {
  std::vector<SymbolicRegion> exposed;  ///< reads that may see a value from before the stretch
  CoveredRegions covered;               ///< certainly written when the stretch has ended
};

/// Walks `accesses` (in program order) once. A write under predicates covers what stands under the
/// same predicates; a write through an indirect operand, or in a loop that may run zero times,
/// covers nothing after it. A write in an inner loop covers, after that loop, the union over its
/// iterations.
Exposure ExposureOf(const LinearKernel& linear, std::span<const PointAccess> accesses,
                    std::optional<LoopId> level);

}  // namespace spillway
