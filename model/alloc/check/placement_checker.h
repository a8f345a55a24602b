// Judges where tensors lie: anybody's placement, hand-made or allocated.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"
#include "model/hw/violation.h"

namespace spillway {

struct CheckOptions {
  std::optional<Bytes> sbuf_bytes;      ///< a smaller capacity per partition than the target's
  std::optional<BankCount> psum_banks;  ///< fewer banks than the target's
  /// A memory that is left to an allocator: its tensors need no place, and those without one are
  /// passed over.
  std::optional<Space> automatic = std::nullopt;
};

/// Results of the rules "bounds", "partitions", "alignment", "psum-bank", "overlap" and
/// "accumulate", in this order; each holds every violation. Tensors with `at` in the kernel are
/// fixed by their author and need the target's smallest alignment alone; the others are an
/// allocator's and lie on its granule.
///
/// `linear` is the kernel that runs, spill code included; `placement` has an entry a tensor.
/// Source: seed 003 §3 (geometry), isa_costs §1.2 and §1.3, colorer.md §5 and §6.
std::vector<CheckResult> CheckPlacement(const LinearKernel& linear, const Placement& placement,
                                        const Target& target, const CheckOptions& options);

}  // namespace spillway
