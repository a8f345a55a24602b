#include "model/alloc/check/dataflow.h"

#include "model/alloc/check/matched_code.h"
#include "model/alloc/check/value_walk.h"

namespace spillway {

CheckResult CheckDataflow(const Kernel& original, const LinearKernel& allocated,
                          const Placement& placement, const Target& /*target*/) {
  check::MatchedCode code = check::MatchCode(original, allocated);
  if (!code.violations.empty()) {
    return {"dataflow", static_cast<std::int64_t>(allocated.point_count()),
            std::move(code.violations)};
  }
  return check::ValueWalk(original, allocated, placement, code.steps).Run();
}

}  // namespace spillway
