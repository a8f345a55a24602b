// A kernel to decorate.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/jit_kernel.h"

namespace spillway::nki {

/// One load, and a copy of it back.
inline Kernel SmallProgram() {
  KernelBuilder b("small", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {32, 16}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {32, 16}, Role::kOutput);
  const TensorId a = b.Sbuf("a", DType::kFloat32, {32, 16});
  b.Copy(b.Whole(a), b.Whole(x));
  b.Copy(b.Whole(y), b.Whole(a));
  return b.Build();
}

inline CompileOpts OptsOf(const std::vector<Attr>& fields) { return Replace({}, fields).value(); }

inline JitKernel KernelWith(const std::vector<Attr>& fields) {
  return JitKernel(SmallProgram(), OptsOf(fields));
}

}  // namespace spillway::nki
