#include "sim/tool/run_report.h"

namespace spillway {

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return "pass";
    case Verdict::kFail: return "fail";
    case Verdict::kBadInput: return "bad-input";
    case Verdict::kCannotAllocate: return "cannot-allocate";
  }
  return "unknown";
}

int ExitCode(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return 0;
    case Verdict::kFail: return 1;
    case Verdict::kBadInput: return 3;
    case Verdict::kCannotAllocate: return 4;
  }
  return 1;
}

std::vector<Violation> AllViolations(const RunReport& report) {
  std::vector<Violation> all;
  for (const CheckResult& check : report.checks) {
    all.insert(all.end(), check.violations.begin(), check.violations.end());
  }
  return all;
}

}  // namespace spillway
