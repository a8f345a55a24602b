#include "model/alloc/nki/guards.h"

#include <fmt/format.h>

namespace spillway::nki {
namespace {

constexpr std::string_view kNotAKernel = "Can only update compile options of nki kernel!";

// All of these leave two ways of allocating in one kernel.
Error Mixed(std::string code, std::string message) {
  return {Kind::kMixedAllocation, std::move(code), std::move(message), "", 0};
}

}  // namespace

Error NotAKernel() { return {Kind::kSyntax, "nki-not-a-kernel", std::string(kNotAKernel), "", 0}; }

Error NoOpts(std::string_view name) {
  return {Kind::kSyntax, "nki-no-opts",
          fmt::format("{} '{}' has no opts that the allocator's guards could read; put @nki.jit "
                      "below the decorator",
                      kNotAKernel, name),
          "", 0};
}

Error AllocatorAlreadySet(AllocatorType set) {
  return Mixed("nki-allocator-already-set",
               fmt::format("Allocator already set on nki kernel: '{}'", AllocatorTypeName(set)));
}

Error AllocatorWithForceAutoAlloc(AllocatorType wanted) {
  return Mixed("nki-allocator-with-force-auto-alloc",
               fmt::format("Allocator '{}' is not compatible with `@force_auto_alloc`!",
                           AllocatorTypeName(wanted)));
}

Error ForceAutoAllocWithAllocator(AllocatorType set) {
  return Mixed("nki-force-auto-alloc-with-allocator",
               fmt::format("`@force_auto_alloc` is not compatible with `Allocator '{}'`!",
                           AllocatorTypeName(set)));
}

Error AllocatorWithoutSkipMiddleEnd() {
  return Mixed("nki-allocator-without-skip-middle-end",
               "Cannot set allocator for kernel without `@skip_middle_end_transformations`!");
}

}  // namespace spillway::nki
