// expect: (use of deleted function|call to deleted constructor)
#include <utility>

#include "model/alloc/ir/linear_kernel.h"

spillway::LinearKernel Take(spillway::LinearKernel& linear) {
#ifdef FORBIDDEN
  return linear;
#else
  return std::move(linear);
#endif
}
