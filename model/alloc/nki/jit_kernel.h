// A captured program together with the options that its decorators gave it.
#pragma once

#include <memory>
#include <utility>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/nki/compile_opts.h"

namespace spillway::nki {

/// What @nki.jit makes of a function, there called Kernel: immutable, and cheap to copy, since
/// copies share the program. Source: seed 000 §1.
class JitKernel {
 public:
  explicit JitKernel(Kernel program, CompileOpts opts = {})
      : JitKernel(std::make_shared<const Kernel>(std::move(program)), std::move(opts)) {}
  explicit JitKernel(std::shared_ptr<const Kernel> program, CompileOpts opts = {})
      : program_(std::move(program)), opts_(std::move(opts)) {
    SPILLWAY_CHECK(program_ != nullptr, "a kernel has a program");
  }

  const Kernel& program() const { return *program_; }
  const std::shared_ptr<const Kernel>& shared_program() const { return program_; }
  const CompileOpts& opts() const { return opts_; }

 private:
  std::shared_ptr<const Kernel> program_;
  CompileOpts opts_;
};

/// Another kernel of the same program with these options; `kernel` stays as it is.
/// Source: seed 000 §2 (copy_kernel).
inline JitKernel CopyKernel(const JitKernel& kernel, CompileOpts opts) {
  return JitKernel(kernel.shared_program(), std::move(opts));
}

}  // namespace spillway::nki
