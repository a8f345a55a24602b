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
    if (tensor.space == Space::kDram) continue;
    const std::vector<Address>& places = placement.addresses[TensorId(i)];
    // What the author's function gave is the author's only where it still lies there.
    tensor.by_function = tensor.by_function && tensor.at == places;
    tensor.at = places;
  }
  return kernel;
}

Rectangle RectangleOf(const Tensor& tensor, const Address& address) {
  return {{address.partition, address.partition + Partitions(tensor)},
          {address.byte, address.byte + BlockBytes(tensor)}};
}

}  // namespace spillway
