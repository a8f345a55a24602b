// What it costs to keep a PSUM tensor in SBUF between its residences.
#pragma once

#include "model/alloc/psum/bank_ranges.h"
#include "model/alloc/psum/spill_plan.h"
#include "model/hw/hwm.h"

namespace spillway::psum {

/// A node's plan and, where it has one, its price.
struct SpillCost {
  SpillPlan plan;
  double cycles = 0;  ///< of the reference clock; meaningful only if the plan is spillable

  bool IsFinite() const { return plan.IsSpillable(); }
};

/// Cost per node: liveN times the PSUM latency for every copy out of PSUM and every one back, as
/// often as its loops run. `is_spill_copy`, by tensor: made by an earlier spill, so never spilled
/// again. Source: colorer.md §5; seed 003 §1 (infinity is a reason here, not a number).
IdVector<NodeId, SpillCost> FindCosts(const LinearKernel& linear,
                                      const IdVector<NodeId, BankRange>& ranges,
                                      const std::vector<bool>& is_spill_copy, const Hwm& hwm);

}  // namespace spillway::psum
