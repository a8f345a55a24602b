// What a kernel's options ask of the driver that allocates it.
#pragma once

#include <optional>
#include <string>

#include "model/alloc/nki/compile_opts.h"

namespace spillway::nki {

/// Who gives the kernel's SBUF and PSUM tensors their addresses.
enum class PlannedAllocator {
  kColoring,    ///< the colourers of `Allocate`; what has an address is a reservation
  kStack,       ///< "stack": what has no address yet, on a stack of scopes
  kLinearScan,  ///< the allocator "linear-scan" of model/alloc/baseline, in place of the colourers
  kAuthor,      ///< the kernel's author: every address is there
};

/// What each option does here:
///
/// force_auto_alloc      `ignore_at`, which is AllocateOptions::reallocate: the passes see no
///                       address of the kernel's own. It skips none of them.
/// skip_allocators       skips AllocatePsum and AllocateSbuf, and with them every pass of
///                       model/alloc/psum and model/alloc/sbuf: no colouring, no split of
///                       lives, no spill code. What is left of `Allocate` is the DRAM homes
///                       (AllocateHomes), and so each accessed SBUF and PSUM tensor must have its
///                       address (`CheckAddresses`), unless another allocator runs.
/// allocator_type        which allocator stands in for them: of `stack`, a kernel that was traced
///                       with its stack manager has every address, and MakeStackAllocator places
///                       what has none. Both fields are `allocator`.
/// skip_middle_end       `run_middle_end` is false. The middle end legalizes, fuses and lays out
///                       before a program is instructions on tiles. A kernel file is a captured
///                       trace, which is what comes out of it or what went past it, and so no pass
///                       of Spillway is skipped: the flag opens the way to an allocator (the third
///                       guard), and a report may say which way the kernel came.
/// platform_target       `target`, in place of the one that the kernel names.
/// opt_level, allocator_class say nothing beyond skip_middle_end and allocator_type.
struct CompilePlan {
  bool ignore_at = false;
  PlannedAllocator allocator = PlannedAllocator::kColoring;
  bool run_middle_end = true;
  std::optional<std::string> target;  ///< for FindTarget

  /// Whether every accessed SBUF and PSUM tensor must have its address.
  bool needs_addresses() const { return allocator == PlannedAllocator::kAuthor; }
  friend bool operator==(const CompilePlan&, const CompilePlan&) = default;
};

/// The plan of options that agree with each other. The decorators give no others, but
/// `UpdateCompileOpts` and files may.
/// Errors: nki-allocator-with-force-auto-alloc and nki-allocator-without-skip-middle-end as the
/// decorators say them; nki-allocator-beside-colorers (allocator_type without skip_allocators),
/// nki-nobody-allocates (force_auto_alloc with skip_allocators alone).
/// Source: seed 000 §3 to §5, §9; nki_surface.md "CompileOpts fields", column "read by".
Result<CompilePlan> PlanCompile(const CompileOpts& opts);

}  // namespace spillway::nki
