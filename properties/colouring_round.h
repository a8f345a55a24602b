// The passes of one colouring round, up to the node stack, as values.
#pragma once

#include "model/alloc/sbuf/find_loads.h"
#include "model/alloc/sbuf/find_partners.h"
#include "model/alloc/sbuf/intervals.h"
#include "model/alloc/sbuf/live_ranges.h"
#include "model/alloc/sbuf/select.h"
#include "model/alloc/sbuf/spill_costs.h"

namespace spillway {

struct ColouringRound {
  LinearKernel linear;
  Partners partners;
  IdVector<TensorId, bool> loads;
  IdVector<TensorId, std::optional<LiveRange>> ranges;
  Nodes nodes;
  IdVector<TensorId, SpillCost> costs;
  Granules capacity;
};

/// What the colourer sees of `kernel` in its first round: renumbered and split.
ColouringRound StartRound(const Kernel& kernel, Bytes capacity, Bytes granule, const Hwm& hwm);

struct MemoryNeeds {
  Bytes peak;                 ///< largest sum of live sizes at one point
  Bytes sum;                  ///< of all sizes, live blocks counted
  Bytes largest_working_set;  ///< of one instruction
};
MemoryNeeds NeedsOf(const Kernel& kernel, Bytes granule);

}  // namespace spillway
