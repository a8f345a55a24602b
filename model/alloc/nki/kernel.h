// A captured program together with the options that its decorators gave it.
#pragma once

#include <memory>
#include <utility>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/nki/compile_opts.h"

namespace spillway::nki {

/// What @nki.jit makes of a function: immutable, and cheap to copy, since copies share the program.
/// Source: seed 000 §1.
class Kernel {
 public:
  explicit Kernel(spillway::Kernel program, CompileOpts opts = {})
      : Kernel(std::make_shared<const spillway::Kernel>(std::move(program)), std::move(opts)) {}
  explicit Kernel(std::shared_ptr<const spillway::Kernel> program, CompileOpts opts = {})
      : program_(std::move(program)), opts_(std::move(opts)) {
    SPILLWAY_CHECK(program_ != nullptr, "a kernel has a program");
  }

  const spillway::Kernel& program() const { return *program_; }
  const std::shared_ptr<const spillway::Kernel>& shared_program() const { return program_; }
  const CompileOpts& opts() const { return opts_; }

 private:
  std::shared_ptr<const spillway::Kernel> program_;
  CompileOpts opts_;
};

/// Another kernel of the same program with these options; `kernel` stays as it is.
/// Source: seed 000 §2 (copy_kernel).
inline Kernel CopyKernel(const Kernel& kernel, CompileOpts opts) {
  return Kernel(kernel.shared_program(), std::move(opts));
}

}  // namespace spillway::nki
