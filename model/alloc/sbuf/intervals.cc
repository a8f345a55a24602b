#include "model/alloc/sbuf/intervals.h"

namespace spillway {
namespace {

Reservation ReservationOf(const Tensor& tensor, const Address& address, Bytes granule) {
  const std::int64_t end = address.byte.value + BlockBytes(tensor).value;
  return {address.byte.value / granule.value, (end + granule.value - 1) / granule.value,
          QuadrantsOf({address.partition, address.partition + Partitions(tensor)})};
}

}  // namespace

Nodes CreateIntervals(const Kernel& kernel,
                      const IdVector<TensorId, std::optional<LiveRange>>& ranges,
                      const Partners& partners, Bytes granule) {
  Nodes nodes;
  nodes.of.resize(kernel.tensors.size());
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const std::optional<LiveRange>& range = ranges[TensorId(t)];
    if (!range) continue;
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    for (std::int64_t block = 0; block < range->live_blocks; ++block) {
      Node node{TensorId(t),
                block,
                range->life,
                Granules(range->block_bytes.value / granule.value),
                ClassOf(Partitions(tensor)),
                std::nullopt};
      if (const std::optional<Partition>& base = partners.base[TensorId(t)]) {
        node.height = PinnedClassOf(Partitions(tensor), *base);
      }
      if (!tensor.at.empty()) {
        const Address& address = tensor.at[static_cast<std::size_t>(block)];
        node.fixed = ReservationOf(tensor, address, granule);
        node.size = Granules(node.fixed->upper - node.fixed->lower);
        node.height = PinnedClassOf(Partitions(tensor), address.partition);
      }
      nodes.of[TensorId(t)].push_back(nodes.all.push_back(node));
    }
  }
  return nodes;
}

}  // namespace spillway
