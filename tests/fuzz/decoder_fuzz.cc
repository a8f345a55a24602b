// Any bytes as an allocation problem: allocated or refused, and nothing for the static judges to
// object to. The same body as the campaigns' and the properties'.
#include <algorithm>

#include "model/alloc/allocate.h"
#include "properties/problem_outcome.h"
#include "tests/fuzz/harness.h"

namespace spillway {
namespace {

// Longer ones only make cases slow.
constexpr std::size_t kMostBytes = std::size_t{40} * 8 + kKnobBytes;

std::vector<JudgeId> StaticJudges() {
  std::vector<JudgeId> judges;
  for (const JudgeId judge : AllJudges()) {
    if (IsStatic(judge)) judges.push_back(judge);
  }
  return judges;
}

}  // namespace

std::string FuzzOne(std::span<const std::uint8_t> bytes) {
  static const std::vector<JudgeId> judges = StaticJudges();
  const AllocationProblem problem =
      DecodeProblem(bytes.subspan(0, std::min(bytes.size(), kMostBytes)));
  std::string objections;
  for (const Finding& finding : JudgeProblem(problem, Allocate, judges).findings) {
    objections += KeyOf(finding) + ": " + finding.text + "\n";
  }
  return objections;
}

}  // namespace spillway
