#include "traces/allocated_kernels.h"

namespace spillway {

std::vector<Kernel> AllocatedKernels() {
  return {RmsNormQkv(), AttentionBankMap(), PipelinedAttention(), PrefetchedRmsNorm()};
}

std::vector<Kernel> BrokenAllocatedKernels() {
  Kernel kernel = PrefetchedRmsNorm({.distance = 2, .buffers = 2});
  kernel.name = "double_buffer_too_short";
  return {kernel};
}

}  // namespace spillway
