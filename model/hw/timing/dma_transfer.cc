#include "model/hw/timing/dma_transfer.h"

#include <algorithm>

namespace spillway {

DescriptorKind KindOf(const DmaShape& dma) {
  if (dma.transpose) {
    return dma.touches_dram ? DescriptorKind::kTransposeFromDram : DescriptorKind::kTransposeOnChip;
  }
  return dma.strided ? DescriptorKind::kStrided : DescriptorKind::kContiguous;
}

Transfer MakeTransfer(const Target& target, std::int64_t rows, Bytes row_bytes,
                      DescriptorKind kind) {
  Transfer transfer;
  transfer.descriptors = std::max<std::int64_t>(1, rows);
  transfer.descriptors_per_engine =
      std::max(DescriptorsPerEngine(target),
               (transfer.descriptors + target.dma_engines - 1) / target.dma_engines);
  transfer.descriptor_bytes = std::max(row_bytes, Bytes(1));
  transfer.descriptor_time = DescriptorTime(target, transfer.descriptor_bytes, kind);
  return transfer;
}

Transfer MakeTransfer(const Target& target, const DmaShape& dma) {
  std::int64_t rows = dma.rows;
  Bytes row_bytes = dma.row_bytes();
  if (!dma.on_chip) {
    const std::int64_t bytes = rows * row_bytes.value;
    rows = (bytes + kDmaPacket.value - 1) / kDmaPacket.value;
    row_bytes = Bytes((bytes + rows - 1) / rows);
  }
  return MakeTransfer(target, rows, row_bytes, KindOf(dma));
}

Picoseconds TransferTime(const Transfer& transfer) {
  return transfer.descriptor_time * std::min(transfer.descriptors, transfer.descriptors_per_engine);
}

}  // namespace spillway
