// The smallest kernel that still shows a failure.
#pragma once

#include <cstdint>
#include <functional>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Whether a kernel still shows the failure that is looked for, of the same kind and at the same
/// place: "some failure" would drift to another one. May throw; that counts as no.
using StillFails = std::function<bool(const Kernel&)>;

struct ReduceOptions {
  double seconds = 10;                ///< wall clock; what was reached by then comes back
  std::int64_t most_tries = 100'000;  ///< calls of the predicate
};

struct Reduced {
  Kernel kernel;
  std::int64_t tries = 0;
  bool finished = false;  ///< false: a limit ended it, and more might go
};

/// Takes out instructions (halves, quarters, … single ones, from the end), then loops, iterations,
/// predicates and operands of operations without numerics, until nothing more goes. Every kernel
/// that `still_fails` sees is one that the reader accepts and that reads nothing uninitialised
/// that `kernel` doesn't. `kernel` itself must fail.
Reduced ReduceKernel(const Kernel& kernel, const StillFails& still_fails,
                     const ReduceOptions& options = {});

}  // namespace spillway
