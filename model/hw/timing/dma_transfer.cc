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
  const std::int64_t packet = target.dma_packet_bytes.value.value;
  transfer.packets = (transfer.descriptor_bytes.value + packet - 1) / packet;
  transfer.descriptor_time = DescriptorEngineTime(target, transfer.descriptor_bytes, kind);
  transfer.descriptor_latency = DescriptorTime(target, transfer.descriptor_bytes, kind);
  return transfer;
}

DmaRows RowsOf(const DmaShape& dma, const Target& target) {
  const std::int64_t packet = target.dma_packet_bytes.value.value;
  if (dma.on_chip) return {dma.rows, dma.row_bytes()};
  const std::int64_t bytes = dma.rows * dma.row_bytes().value;
  const std::int64_t packets = (bytes + packet - 1) / packet;
  return {packets, Bytes((bytes + packets - 1) / packets)};
}

Transfer MakeTransfer(const Target& target, const DmaShape& dma) {
  const DmaRows rows = RowsOf(dma, target);
  Transfer transfer = MakeTransfer(target, rows.count, rows.bytes, KindOf(dma));
  transfer.generated = dma.descriptors == DescriptorGeneration::kHardware;
  return transfer;
}

Picoseconds TransferTime(const Transfer& transfer) {
  return PacketLatency(transfer) *
         (transfer.packets * std::min(transfer.descriptors, transfer.descriptors_per_engine));
}

}  // namespace spillway
