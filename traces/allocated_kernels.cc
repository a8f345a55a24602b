#include "traces/allocated_kernels.h"

#include <utility>

namespace spillway {

std::vector<Kernel> AllocatedKernels() {
  Kernel shorter = PipelinedAttention({.sequence = 4096});
  shorter.name = "pipelined_attention_4k";
  return {RmsNormQkv(), AttentionBankMap(), PipelinedAttention(), std::move(shorter),
          PrefetchedRmsNorm()};
}

std::vector<Kernel> BrokenAllocatedKernels() {
  Kernel kernel = PrefetchedRmsNorm({.distance = 2, .buffers = 2});
  kernel.name = "double_buffer_too_short";
  return {kernel};
}

}  // namespace spillway
