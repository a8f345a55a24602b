// Places that nobody chose with care: judges that work in different ways must agree on them.
#include "properties/random_placement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/allocation_problem.h"
#include "properties/judge.h"
#include "properties/rapidcheck_kernels.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

bool Objects(JudgedCase& judged, JudgeId judge, std::string& texts) {
  const std::vector<Finding> findings = judged.Ask(judge);
  for (const Finding& finding : findings) {
    texts += fmt::format("{}: {}\n", JudgeName(judge), finding.text);
  }
  return !findings.empty();
}

TEST(RandomPlacements, AreJudgedTheSameForwardsAndBackwardsAndByTheRun) {
  Shares shares;
  CheckProperty("placements", 3000, [&](const KernelCase& c) {
    const Target target = FindTarget("trn2").value();
    const Kernel kernel = c.Decode();
    const Placement placement = DecodePlacement(kernel, target, *AnyBytes(40));
    JudgedCase judged(
        {&kernel, &kernel, &placement, &target, target.sbuf_usable_bytes, std::nullopt});
    std::string texts;
    const auto asks = [&](JudgeId judge) { return Objects(judged, judge, texts); };
    const bool legality = asks(JudgeId::kLegality);
    const bool overlap = asks(JudgeId::kOverlap);
    const bool dataflow = asks(JudgeId::kDataflow);
    const bool equations = asks(JudgeId::kEquations);
    const bool reaching = asks(JudgeId::kReachingWriter);
    if (legality) RC_FAIL("every place is legal by itself\n" + texts);
    if (dataflow != equations) RC_FAIL("the two symbolic judges disagree\n" + texts);
    if (!overlap && dataflow) RC_FAIL("a wrong value without an overlap or spill code\n" + texts);
    if (!dataflow && reaching)
      RC_FAIL("the run has a wrong value on all paths proved right\n" + texts);
    shares.Case();
    shares.Count("wrong values", dataflow);
    shares.Count("overlaps that destroy nothing", overlap && !dataflow);
    shares.Count("right", !overlap);
  });
  shares.AtLeast("wrong values", 20);
  shares.AtLeast("right", 20);
}

}  // namespace
}  // namespace spillway
