// What NKI asks of the arguments of `mod_alloc`, before any tile is looked at.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/target.h"
#include "model/hw/violation.h"

namespace spillway::nki {

struct LawVerdict {
  std::vector<Violation> violations;
  /// The law as far as its tiles can be looked at; nothing where counts or bases make no sense. For
  /// PSUM it keeps the banks alone: whatever else isn't 0 is a violation above.
  std::optional<ModuloLaw> evaluable;
};

/// Every rule that the arguments of `law` break for `tensor`, which lies in SBUF or PSUM.
/// Source: seed 000 §8.3; isa_costs.md 4.1 (num_par_tiles); nki_surface.md (exact wording).
LawVerdict CheckModuloLaw(const Tensor& tensor, const ModuloLaw& law, const Target& target);

}  // namespace spillway::nki
