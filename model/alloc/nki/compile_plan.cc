#include "model/alloc/nki/compile_plan.h"

#include <fmt/format.h>

#include "model/alloc/nki/guards.h"

namespace spillway::nki {
namespace {

PlannedAllocator AllocatorOf(const CompileOpts& opts) {
  if (!opts.allocator_type())
    return opts.skip_allocators() ? PlannedAllocator::kAuthor : PlannedAllocator::kColoring;
  switch (*opts.allocator_type()) {
    case AllocatorType::kStack: return PlannedAllocator::kStack;
    case AllocatorType::kLinearScan: return PlannedAllocator::kLinearScan;
  }
  SPILLWAY_CHECK(false, "every allocator type has its plan");
}

}  // namespace

Result<CompilePlan> PlanCompile(const CompileOpts& opts) {
  if (const std::optional<AllocatorType> type = opts.allocator_type()) {
    if (opts.force_auto_alloc()) return Fail(AllocatorWithForceAutoAlloc(*type));
    if (opts.opt_level() != OptLevel::kSkipMiddleEnd) return Fail(AllocatorWithoutSkipMiddleEnd());
    if (!opts.skip_allocators()) {
      return Fail({Kind::kMixedAllocation, "nki-allocator-beside-colorers",
                   fmt::format("allocator_type is \"{}\" and skip_allocators is false, so that two "
                               "allocators would place the same tensors: expected skip_allocators "
                               "true, as UpdateAllocator sets it, or allocator_type null",
                               AllocatorTypeName(*type)),
                   "", 0});
    }
  } else if (opts.skip_allocators() && opts.force_auto_alloc()) {
    return Fail({Kind::kMixedAllocation, "nki-nobody-allocates",
                 "force_auto_alloc ignores the kernel's addresses and skip_allocators skips the "
                 "colourers, so that nobody would place its tensors: expected one of them to be "
                 "false",
                 "", 0});
  }
  return CompilePlan{.ignore_at = opts.force_auto_alloc(),
                     .allocator = AllocatorOf(opts),
                     .run_middle_end = !opts.skip_middle_end(),
                     .target = opts.platform_target()};
}

}  // namespace spillway::nki
