// Random kernels from their allocation to the machine's bytes, against the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "properties/colouring_round.h"
#include "properties/rapidcheck_kernels.h"
#include "sim/exec/compare_data.h"
#include "sim/exec/executor.h"
#include "sim/values/inputs.h"
#include "sim/values/reference_interpreter.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

/// trn2 with results that stay longer on their way and semaphores that are faster: what an order of
/// a pipelined engine doesn't enforce shows then.
Target DeepPipelines(std::uint8_t choice) {
  Target target = *FindTarget("trn2");
  target.static_overhead.value = Cycles(1 + 80 * (choice % 128));
  target.semaphore_latency.value = Picoseconds(1 + 10'000 * (choice / 128));
  return target;
}

TEST(MachineRun, OfARandomAllocatedKernelGivesTheReferencesBytes) {
  Shares shares;
  CheckProperty("machine run", 1000, [&](const KernelCase& c, std::uint8_t depth) {
    const Target target = DeepPipelines(depth);
    const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(target);
    const Kernel kernel = c.Decode();
    const MemoryNeeds needs = NeedsOf(kernel, target.sbuf_granule);
    AllocateOptions tight;
    tight.sbuf_bytes = c.Between(needs.largest_working_set, needs.peak);
    Result<Allocation> allocation = Allocate(kernel, target, *hwm, tight);
    if (!allocation) allocation = Allocate(kernel, target, *hwm, {});
    RC_ASSERT(allocation.has_value());
    const Inputs inputs = GenerateInputs(kernel, 7).value();
    const auto expected = Interpret(kernel, ValueMode::kTags, inputs);
    RC_ASSERT(expected.has_value());
    const auto ran =
        Execute(allocation->kernel, allocation->placement, target, ValueMode::kTags, inputs);
    RC_ASSERT(ran.has_value());
    RC_ASSERT(ran->violations.empty());
    const DataComparison comparison = CompareData(kernel, ran->outputs, expected->dram);
    if (comparison.mismatched_bytes > 0) {
      RC_FAIL(fmt::format("{} of {} bytes differ", comparison.mismatched_bytes,
                          comparison.compared_bytes));
    }
    shares.Case();
    shares.Count("compared", comparison.compared_bytes > 0);
    shares.Count("spilled", allocation->dram_spill_bytes > Bytes(0));
    shares.Count("waits", ran->lowered.counts.waits > 4);
  });
  shares.AtLeast("compared", 50);
  shares.AtLeast("spilled", 20);
  shares.AtLeast("waits", 50);
}

}  // namespace
}  // namespace spillway
