// The backward judge on random kernels: silent on what the allocators make, and no blinder than the
// run on one scratchpad for what is broken afterwards.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "model/alloc/check/equations.h"
#include "properties/broken_allocation.h"
#include "properties/colouring_round.h"
#include "properties/judge.h"
#include "properties/rapidcheck_kernels.h"
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

Bytes CapacityOf(const KernelCase& c, const Kernel& kernel) {
  const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
  return c.Between(needs.largest_working_set, needs.peak);
}

std::vector<std::string> FindingsOf(const Kernel& original, const Kernel& kernel,
                                    const Placement& placement) {
  std::vector<std::string> texts;
  const LinearKernel linear = Linearize(kernel);
  for (const Violation& violation :
       CheckEquations(original, linear, placement, Trn2()).violations) {
    texts.push_back(violation.text);
  }
  return texts;
}

void RequireNone(const std::vector<std::string>& texts) {
  if (!texts.empty()) RC_FAIL(fmt::format("{}", fmt::join(texts, "\n")));
}

TEST(Equations, HoldForWhatTheSbufColourerMakes) {
  Shares shares;
  CheckProperty("equations sbuf", 2500, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    SbufOptions options;
    options.capacity = CapacityOf(c, kernel);
    const Result<SbufAllocation> allocation = AllocateSbuf(kernel, Trn2(), Oracle(), options);
    RC_ASSERT(allocation.has_value());
    RequireNone(FindingsOf(kernel, allocation->kernel, allocation->placement));
    shares.Case();
    shares.Count("spilled", !allocation->stats.spilled.empty());
  });
  shares.AtLeast("spilled", 40);
}

TEST(Equations, HoldForWhatTheWholeAllocatorMakes) {
  Shares shares;
  CheckProperty("equations all", 2500, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    AllocateOptions options;
    options.sbuf_bytes = CapacityOf(c, kernel);
    if (c.tightness % 2 == 1) options.psum_banks = BankCount(1 + c.tightness / 2 % 3);
    const Result<Allocation> allocation = Allocate(kernel, Trn2(), Oracle(), options);
    shares.Case();
    shares.Count("allocated", allocation.has_value());
    if (!allocation) return;
    RequireNone(FindingsOf(kernel, allocation->kernel, allocation->placement));
    shares.Count("spilled from SBUF", !allocation->sbuf.spilled.empty());
    shares.Count("spilled from PSUM", allocation->psum_spilled > 0);
  });
  shares.AtLeast("allocated", 50);
  shares.AtLeast("spilled from SBUF", 20);
  shares.AtLeast("spilled from PSUM", 1);
}

// A run with wrong outputs can't be right; one that reads a byte of another copy with the same
// value can. Homes have memory of their own in the run, so that only the equations see them share
// bytes.
TEST(Equations, FindWhatChangesTheOutputsOfARun) {
  Shares shares;
  std::map<Damage, Shares> by_damage;
  CheckProperty("equations broken", 1500, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    AllocateOptions options;
    options.sbuf_bytes = CapacityOf(c, kernel);
    const Result<Allocation> allocation = Allocate(kernel, Trn2(), Oracle(), options);
    if (!allocation) return;
    const Damage damage = AllDamages()[*rc::gen::inRange<std::size_t>(0, AllDamages().size())];
    const std::optional<BrokenAllocation> broken =
        Break(allocation->kernel, allocation->placement, damage, *AnyByte(), *AnyByte());
    if (!broken) return;
    JudgedCase judged({&kernel, &broken->kernel, &broken->placement, &Trn2(),
                       *options.sbuf_bytes + Bytes(2048), std::nullopt});
    const std::vector<Finding> run = judged.Ask(JudgeId::kShadow);
    const std::vector<Finding> found = judged.Ask(JudgeId::kEquations);
    shares.Case();
    shares.Count("harmful", !found.empty());
    const auto wrong = std::find_if(run.begin(), run.end(), [](const Finding& finding) {
      return finding.kind == Kind::kDataMismatch;
    });
    shares.Count("seen by the run", !run.empty());
    shares.Count("wrong outputs", wrong != run.end());
    shares.Count("only the run objects", !run.empty() && found.empty());
    by_damage[damage].Case();
    by_damage[damage].Count("found", !found.empty());
    if (wrong != run.end() && found.empty()) RC_FAIL(broken->what + " gives " + wrong->text);
  });
  // Most spill code under a predicate does no harm without it: a reload brings what is current.
  for (const Damage damage : AllDamages()) {
    by_damage[damage].AtLeast("found", damage == Damage::kUnguardedSpill ? 2 : 40);
  }
  shares.AtLeast("harmful", 20);
  shares.AtLeast("seen by the run", 20);
  shares.AtLeast("wrong outputs", 20);
  shares.AtLeast("only the run objects", 0);
}

}  // namespace
}  // namespace spillway
