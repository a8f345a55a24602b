#include "model/alloc/ir/placement.h"

namespace spillway {

Placement FixedPlacement(const Kernel& kernel) {
  Placement placement;
  for (const Tensor& tensor : kernel.tensors) placement.addresses.push_back(tensor.at);
  return placement;
}

Kernel WithPlacement(Kernel kernel, const Placement& placement) {
  for (std::size_t i = 0; i < kernel.tensors.size() && i < placement.addresses.size(); ++i) {
    Tensor& tensor = kernel.tensors[TensorId(i)];
    if (tensor.space != Space::kDram) tensor.at = placement.addresses[TensorId(i)];
  }
  return kernel;
}

Rectangle RectangleOf(const Tensor& tensor, const Address& address) {
  return {{address.partition, address.partition + Partitions(tensor)},
          {address.byte, address.byte + BlockBytes(tensor)}};
}

}  // namespace spillway
