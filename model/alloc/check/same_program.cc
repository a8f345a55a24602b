#include "model/alloc/check/same_program.h"

#include "model/alloc/ir/match_program.h"

namespace spillway {

CheckResult CheckSameProgram(const Kernel& original, const Kernel& allocated) {
  CheckResult result{
      "program", static_cast<std::int64_t>(original.tensors.size() + original.body.size()), {}};
  for (const std::string& difference : MatchProgram(original, allocated).differences) {
    Violation violation;
    violation.kind = Kind::kChangedKernel;
    violation.text = "the allocator changed the kernel: " + difference;
    result.violations.push_back(std::move(violation));
  }
  return result;
}

}  // namespace spillway
