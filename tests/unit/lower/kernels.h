// Kernels from text, and what the lowering tests ask of them.
#pragma once

#include <string>
#include <string_view>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"
#include "model/hw/target.h"
#include "sim/lower/lower_kernel.h"
#include "traces/kernel_reader.h"

namespace spillway {

/// `lines` behind a header; every tensor that needs a place has it in `at`.
inline Kernel KernelOf(std::string_view lines) {
  const std::string text = R"({"kernel":"k","version":1,"target":"trn2"})"
                           "\n" +
                           std::string(lines);
  Result<Kernel> kernel = ParseKernel(text, "test");
  if (!kernel) throw ContractViolation(kernel.error().ToString());
  return std::move(*kernel);
}

inline const Target& Trn2() {
  static const Target target = FindTarget("trn2").value();
  return target;
}

/// Dependences of the kernel at its fixed places.
inline Dependences DependencesOf(const Kernel& kernel) {
  const InstanceSequence sequence = Unroll(kernel).value();
  const MemoryMap memory = MapMemory(kernel, FixedPlacement(kernel), Trn2()).value();
  return FindDependences(kernel, sequence, memory).value();
}

}  // namespace spillway
