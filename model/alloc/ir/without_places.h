// A kernel whose author gave no address.
#pragma once

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Drops what gave a tensor its addresses, the law or the author's function: an allocator's choice
/// may equal theirs by chance, and isn't the author's all the same.
inline void ForgetAuthor(Tensor& tensor) {
  tensor.alloc.reset();
  tensor.by_function = false;
}

/// Drops the addresses as well.
inline void ForgetPlace(Tensor& tensor) {
  tensor.at.clear();
  ForgetAuthor(tensor);
}

/// `kernel` without the addresses of any tensor.
inline Kernel WithoutPlaces(Kernel kernel) {
  for (Tensor& tensor : kernel.tensors) ForgetPlace(tensor);
  return kernel;
}

}  // namespace spillway
