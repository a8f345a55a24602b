#include "model/alloc/sbuf/find_first_definitions.h"

namespace spillway {

IdVector<TensorId, std::optional<PointId>> FindFirstDefinitions(const LinearKernel& linear) {
  IdVector<TensorId, std::optional<PointId>> first(linear.kernel.tensors.size());
  for (std::size_t t = 0; t < first.size(); ++t) {
    for (const PointAccess& access : linear.accesses_of[TensorId(t)]) {
      if (!access.is_write) continue;
      first[TensorId(t)] = access.point;
      break;
    }
  }
  return first;
}

}  // namespace spillway
