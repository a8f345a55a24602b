// What random systems are like.
#include "tests/property/task/random_system.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "tests/property/run_property.h"

namespace spillway::task {
namespace {

TEST(RandomSystem, CanBeLaidOutAndUnrolled) {
  Shares shares;
  CheckProperty("random task systems", 2000, [&] {
    const PipelineSystem system = RandomSystem();
    bool several = false;
    bool both = false;
    bool operands = false;
    for (const Task& task : system.tasks) {
      for (const Operation& operation : task.operations.front().body) {
        several = several || operation.pipelines.size() > 1;
        both = both || (!operation.commits.empty() && !operation.releases.empty());
        operands = operands || operation.accesses.size() > 1;
      }
    }
    shares.Case();
    shares.Count("one event for several pipelines", several);
    shares.Count("a transfer that releases and commits", both);
    shares.Count("several operands", operands);
    const Result<SystemLayout> layout = LayOutSystem(system);
    if (!layout) RC_FAIL(layout.error().ToString());
    const Result<Program> program = Unroll(system, *layout);
    if (!program) RC_FAIL(program.error().ToString());
  });
  shares.AtLeast("one event for several pipelines", 2);
  shares.AtLeast("a transfer that releases and commits", 3);
  shares.AtLeast("several operands", 10);
}

}  // namespace
}  // namespace spillway::task
