#include "model/alloc/check/equations.h"

#include "model/alloc/check/equation_walk.h"

namespace spillway {

CheckResult CheckEquations(const Kernel& original, const LinearKernel& allocated,
                           const Placement& placement, const Target&) {
  check::backward::Matching matching =
      check::backward::MatchInstructions(original, allocated, placement);
  if (!matching.violations.empty()) {
    return {"equations", 0, std::move(matching.violations)};
  }
  return check::backward::Walk(original, allocated, placement, matching).Run();
}

}  // namespace spillway
