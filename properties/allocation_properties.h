// What must hold for every allocation of every kernel.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/sbuf/allocate_sbuf.h"
#include "model/hw/hwm.h"
#include "model/hw/target.h"

namespace spillway {

/// What happened in a case, for shares that a run must reach.
struct AllocationFacts {
  bool spilled = false;
  bool respilled = false;  ///< more than two rounds
  bool reloads_removed = false;
  bool saves = false;
  bool guarded_spills = false;  ///< a save or reload under a predicate
  bool spills_in_loops = false;
  bool optimistic = false;    ///< simplify pushed against the degree test
  bool shared_bytes = false;  ///< two tensors were placed on the same bytes
};

/// Empty `faults`: the property holds.
struct PropertyVerdict {
  std::vector<std::string> faults;
  AllocationFacts facts;

  bool ok() const { return faults.empty(); }
};

/// Allocates `kernel` (without `at`) in `capacity` bytes, at least its largest instruction's
/// operands, and checks: it succeeds; every place is legal; no live byte is overwritten, seen on
/// the unrolled run, loops included; the outputs have the bytes that the kernel gives without any
/// allocation; the kernel itself reads nothing uninitialised; no two operands of one instruction
/// share bytes.
PropertyVerdict CheckAllocation(const Kernel& kernel, Bytes capacity, const Target& target,
                                const Hwm& hwm);

/// The same for kernels with tensors that their author placed: a refusal that names its kind is
/// fine, a wrong allocation isn't.
PropertyVerdict CheckAllocationOrRefusal(const Kernel& kernel, Bytes capacity, const Target& target,
                                         const Hwm& hwm);

/// With room for all tensors side by side nothing spills.
PropertyVerdict CheckNoSpillWithRoom(const Kernel& kernel, const Target& target, const Hwm& hwm);

/// The spill loop comes to an end and every round of it does something: all but the last leave
/// nodes without a place, no tensor is spilled for the first time twice, and there are no more
/// rounds than accesses to SBUF tensors, since a working copy that serves a single access can't be
/// spilled. Source: colorer.md §1, the fixpoint.
PropertyVerdict CheckProgress(const Kernel& kernel, Bytes capacity, const Target& target,
                              const Hwm& hwm);

/// Two calls give equal kernels, placements and figures.
PropertyVerdict CheckDeterminism(const Kernel& kernel, Bytes capacity, const Target& target,
                                 const Hwm& hwm);

/// Printing is stable, and what the file writer prints the reader reads back as an equal kernel.
PropertyVerdict CheckRoundTrip(const Kernel& kernel);

}  // namespace spillway
