// What the price of a DMA depends on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/hw/instruction_shape.h"
#include "model/hw/units.h"

namespace spillway {

/// The side of a DMA that its descriptors follow.
struct DmaShape {
  std::int64_t rows = 1;      ///< partitions of that side
  std::int64_t elements = 1;  ///< per row
  Bytes element_bytes{1};
  bool on_chip = false;  ///< the rows are partitions of SBUF or PSUM
  bool transpose = false;
  bool strided = false;
  bool touches_dram = false;
  DescriptorGeneration descriptors = DescriptorGeneration::kNone;

  /// Of the other side, where that has more: a copy may change the type.
  Bytes other_row_bytes;

  Bytes row_bytes() const { return std::max(element_bytes * elements, other_row_bytes); }
};

/// Whether `op` names a transfer that the oracles price.
bool IsDmaOperation(std::string_view op);

/// The on-chip operand of `shape`, the one that is written first; without one, the largest operand,
/// whose rows are what it calls its partitions.
/// Source: isa_costs §1.5: a buffer per partition.
DmaShape DmaShapeOf(const InstructionShape& shape);

}  // namespace spillway
