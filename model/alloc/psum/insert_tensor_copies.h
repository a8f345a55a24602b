// Spills PSUM tensors into SBUF by copies, since PSUM has no room to spill to.
#pragma once

#include <vector>

#include "model/alloc/psum/spill_costs.h"

namespace spillway::psum {

/// Serials of the names that copies get.
struct CopyCounters {
  std::int64_t spill_copies = 0;   ///< of "_SpillTensorCopy"
  std::int64_t reload_copies = 0;  ///< of "_ReloadTensorCopy"
};

struct CopiedFunction {
  Kernel kernel;
  std::vector<TensorId>
      psum_copies;  ///< PSUM tensors that stand for one residence: not to spill again
  CopyCounters counters;
};

/// `linear` with the tensor of every plan split into its residences. Each residence is a PSUM
/// tensor of its own ("<t>_ReloadTensorCopy<n>"; the first keeps <t> itself), copied from SBUF
/// before it where it reads and into SBUF ("<t>_SpillTensorCopy<n>") after it where it writes, part
/// by part as the instructions access it and under their predicates. Source: colorer.md §5.
CopiedFunction InsertTensorCopies(const LinearKernel& linear, const std::vector<SpillPlan>& plans,
                                  const std::vector<TensorId>& tensors, CopyCounters counters);

}  // namespace spillway::psum
