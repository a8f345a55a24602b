// A whole DMA as the queues see it.
#pragma once

#include "model/hw/dma_shape.h"
#include "model/hw/target.h"
#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/hw_program.h"

namespace spillway {

/// How the descriptors of `dma` lie.
DescriptorKind KindOf(const DmaShape& dma);

/// `rows` descriptors of `row_bytes` each, in packets, dealt to the DMA engines in equal shares.
/// Source: isa_costs §3.4.
Transfer MakeTransfer(const Target& target, std::int64_t rows, Bytes row_bytes,
                      DescriptorKind kind);

/// The descriptors of a DMA.
struct DmaRows {
  std::int64_t count = 1;
  Bytes bytes;  ///< of each
};
/// The rows of the on-chip side with the bytes of the larger one, or packets where there is none.
DmaRows RowsOf(const DmaShape& dma, const Target& target);

/// The transfer of `dma` in its rows.
Transfer MakeTransfer(const Target& target, const DmaShape& dma);

/// From the first byte to the last, on idle engines: the time of the largest share.
Picoseconds TransferTime(const Transfer& transfer);

}  // namespace spillway
