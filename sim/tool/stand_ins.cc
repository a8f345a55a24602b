#include "sim/tool/stand_ins.h"

#include <algorithm>

namespace spillway {

Placement WithStandIns(const Kernel& kernel, Placement placement) {
  ByteOffset end(0);
  const auto for_each = [&](bool placed, auto use) {
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      const Tensor& tensor = kernel.tensors[TensorId(t)];
      std::vector<Address>& addresses = placement.addresses[TensorId(t)];
      if (tensor.space == Space::kSbuf && addresses.empty() != placed) use(tensor, addresses);
    }
  };
  for_each(true, [&](const Tensor& tensor, const std::vector<Address>& addresses) {
    for (const Address& address : addresses) end = std::max(end, address.byte + BlockBytes(tensor));
  });
  for_each(false, [&](const Tensor& tensor, std::vector<Address>& addresses) {
    for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
      addresses.push_back({Partition(0), end});
      end = end + BlockBytes(tensor);
    }
  });
  return placement;
}

}  // namespace spillway
