#include "model/alloc/sbuf/find_last_uses.h"

namespace spillway {

IdVector<TensorId, std::optional<PointId>> FindLastUses(const LinearKernel& linear) {
  IdVector<TensorId, std::optional<PointId>> last(linear.kernel.tensors.size());
  for (std::size_t t = 0; t < last.size(); ++t) {
    for (const PointAccess& access : linear.accesses_of[TensorId(t)]) {
      if (!access.is_write) last[TensorId(t)] = access.point;
    }
  }
  return last;
}

}  // namespace spillway
