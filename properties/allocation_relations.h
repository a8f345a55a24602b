// What the allocations of two kernels, one made from the other, have to do with each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/hwm.h"
#include "model/hw/target.h"

namespace spillway {

/// What happened in a case, for shares that a run must reach.
struct RelationFacts {
  bool applies = false;  ///< the second kernel differs in what the relation is about
  bool spilled = false;  ///< one of the allocations spills
  bool cheaper = false;  ///< the second allocation's spills cost less than the first's
  bool dearer = false;   ///< or more
};

/// Empty `faults`: the relation holds.
struct RelationVerdict {
  std::vector<std::string> faults;
  RelationFacts facts;
};

/// A kernel without `at`, in at least its largest instruction's bytes.
struct RelationCase {
  const Kernel& kernel;
  Bytes capacity;
  const Target& target;
  const Hwm& hwm;
  std::uint64_t seed = 0;  ///< of what the relation draws
};

// In all of these an allocation is legal where every static judge is silent: bounds, partitions,
// alignment, overlap, accumulation, and values by equations.

/// Other names: the same code at the same places. No pass may decide by a name.
RelationVerdict CheckOtherNames(const RelationCase& c);
/// Another order of declarations: legal. Ties are broken by it, so that the cost may change.
RelationVerdict CheckOtherOrder(const RelationCase& c);
/// A tensor that nothing touches: the same code at the same places.
RelationVerdict CheckUnusedTensor(const RelationCase& c);
/// A tile that is written and never read, in as many more bytes: legal.
RelationVerdict CheckDeadTile(const RelationCase& c);
/// Bytes that don't fill a granule: the same code at the same places as without them.
RelationVerdict CheckLooseBytes(const RelationCase& c);
/// Swapped neighbours that don't depend on each other: legal, and the kernel's outputs.
RelationVerdict CheckSwappedNeighbors(const RelationCase& c);
/// Sizes, granule and capacity, and the bytes that the oracle prices, times `factor`: the same code
/// at places times `factor`.
RelationVerdict CheckScaled(const RelationCase& c, std::int64_t factor);

/// The placement upside down, or with equal quadrants swapped, is as legal as it was.
RelationVerdict CheckMirroredBytes(const RelationCase& c);
RelationVerdict CheckSwappedQuadrants(const RelationCase& c);

/// All loops written out, or a first iteration: legal in its own room, and the kernel's outputs.
RelationVerdict CheckUnrolled(const RelationCase& c);
RelationVerdict CheckPeeled(const RelationCase& c);
/// The allocation also keeps the values of the kernel whose uniform loops run fewer times.
RelationVerdict CheckFewerTrips(const RelationCase& c);
/// Backwards, the straight-line kernel's tensors live together with the same others; and who lives
/// together does so in both orders.
RelationVerdict CheckReversed(const RelationCase& c);

/// What was allocated and written down is allocated to the same places again, without spills.
RelationVerdict CheckAllocatedAgain(const RelationCase& c);
/// More capacity: still an allocation, and legal. It may cost more: that is a heuristic's right,
/// and a rate to watch.
RelationVerdict CheckMoreCapacity(const RelationCase& c, Bytes more);
/// On a machine with slower DMA the same allocation gives the same outputs, the kernel's; `dearer`:
/// it ends later.
RelationVerdict CheckSlowerDma(const RelationCase& c);

}  // namespace spillway
