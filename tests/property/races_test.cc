// Waits that a lowered program needs, left out one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "model/alloc/check/races.h"
#include "model/alloc/check/reaching_writers.h"
#include "properties/colouring_round.h"
#include "properties/rapidcheck_kernels.h"
#include "sim/lower/lower_kernel.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}
const Hwm& Oracle() {
  static const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  return *hwm;
}

Allocation Allocated(const KernelCase& c) {
  const Kernel kernel = c.Decode();
  const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
  AllocateOptions options;
  options.sbuf_bytes = c.Between(needs.largest_working_set, needs.peak);
  Result<Allocation> allocation = Allocate(kernel, Trn2(), Oracle(), options);
  RC_ASSERT(allocation.has_value());
  return std::move(*allocation);
}

CheckResult RacesOf(const Allocation& allocation, const LoweredKernel& lowered) {
  return CheckRaces(
      {allocation.kernel, lowered.program, Placement{lowered.memory.addresses}, Trn2()});
}

TEST(ReachingWriters, OfAllocatedKernelsAreThoseOfTheOriginal) {
  Shares shares;
  CheckProperty("reaching writers", 500, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const Allocation allocation = Allocated(c);
    const Result<LoweredKernel> lowered =
        LowerKernel(allocation.kernel, allocation.placement, Trn2());
    RC_ASSERT(lowered.has_value());
    const CheckResult result =
        CheckReachingWriters(kernel, allocation.kernel, Placement{lowered->memory.addresses});
    if (!result.violations.empty()) RC_FAIL(result.violations.front().text);
    shares.Case();
    shares.Count("spilled", !allocation.sbuf.spilled.empty());
    shares.Count("compared", result.checked > 5);
  });
  shares.AtLeast("spilled", 40);
  shares.AtLeast("compared", 60);
}

// Up to 24 waits a program, evenly spread and at another place in each.
TEST(Races, AreInNoLoweredProgramAndWithoutOneOfASampleOfItsWaitsThereIsOne) {
  Shares shares;
  std::int64_t dropped = 0;
  std::int64_t reported = 0;
  CheckProperty("dropped waits", 150, [&](const KernelCase& c) {
    const Allocation allocation = Allocated(c);
    const Result<LoweredKernel> lowered =
        LowerKernel(allocation.kernel, allocation.placement, Trn2());
    RC_ASSERT(lowered.has_value());
    const CheckResult whole = RacesOf(allocation, *lowered);
    if (!whole.violations.empty()) RC_FAIL(whole.violations.front().text);
    const std::size_t waits = lowered->counts.waits;
    const std::size_t step = waits / 24 + 1;
    for (std::size_t wait = c.tightness % step; wait < waits; wait += step) {
      LowerOptions options;
      options.dropped_waits = {wait};
      const Result<LoweredKernel> broken =
          LowerKernel(allocation.kernel, allocation.placement, Trn2(), options);
      ++dropped;
      if (RacesOf(allocation, *broken).violations.empty()) {
        RC_FAIL(fmt::format("nobody misses wait {} of {}", wait, waits));
      }
      ++reported;
    }
    shares.Case();
    shares.Count("spilled", !allocation.sbuf.spilled.empty());
    shares.Count("waits", waits > 10);
  });
  std::cout << reported << " of " << dropped << " dropped waits reported\n";
  EXPECT_EQ(reported, dropped);
  shares.AtLeast("spilled", 40);
  shares.AtLeast("waits", 60);
}

}  // namespace
}  // namespace spillway
