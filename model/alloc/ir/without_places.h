// A kernel whose author gave no address.
#pragma once

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Drops a tensor's addresses and the law that gave them: an allocator's choice may equal the law
/// by chance, and isn't the author's all the same.
inline void ForgetPlace(Tensor& tensor) {
  tensor.at.clear();
  tensor.alloc.reset();
}

/// `kernel` without the addresses of any tensor.
inline Kernel WithoutPlaces(Kernel kernel) {
  for (Tensor& tensor : kernel.tensors) ForgetPlace(tensor);
  return kernel;
}

}  // namespace spillway
