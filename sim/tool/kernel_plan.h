// What a kernel's compile options and the command line together ask of a run.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "sim/tool/options.h"

namespace spillway {

struct KernelPlan {
  std::string target;          ///< for FindTarget
  std::string allocator;       ///< for FindAllocator
  bool reallocate = false;     ///< ignore the addresses that the kernel gives
  bool author_places = false;  ///< no allocator runs: every accessed tensor must have its address
  std::vector<std::string> notes;
};

/// `--opts` stands in for the options of the kernel's header. The command line wins over options:
/// `--target`, an `--allocator` other than the default and `--reallocate`, each with a note.
/// Errors: kFile opts-not-read, those of CompileOptsFromJson and DecodeBackendConfig with the file,
/// those of Replace and PlanCompile.
/// Source: seed 000 §9; model/alloc/nki/compile_plan.h.
Result<KernelPlan> PlanKernel(const Kernel& kernel, const ToolOptions& options);

}  // namespace spillway
