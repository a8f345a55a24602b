// The project's units and ids. `Bytes(1) + Cycles(1)` doesn't compile.
#pragma once

#include "model/hw/quantity.h"

namespace spillway {

using Bytes = Quantity<struct BytesTag>;
/// Byte offset within one partition of SBUF or PSUM, or within DRAM.
using ByteOffset = Position<struct ByteOffsetTag, Bytes>;

using PartitionCount = Quantity<struct PartitionCountTag>;
/// A partition (row) of the hardware's scratchpad, 0 to 127.
using Partition = Position<struct PartitionTag, PartitionCount>;

using BankCount = Quantity<struct BankCountTag>;
/// A PSUM bank.
using BankId = Position<struct BankTag, BankCount>;

/// Clock periods of the target's reference clock unless a name says which engine's.
using Cycles = Quantity<struct CyclesTag>;
/// Simulated time; engines have different clocks, so the model counts picoseconds.
using Picoseconds = Quantity<struct PicosecondsTag>;

using TensorId = Id<struct TensorIdTag>;
using LoopId = Id<struct LoopIdTag>;
using InstructionId = Id<struct InstructionIdTag>;
/// A point of the linear form: an instruction, a loop header or a loop terminator.
using PointId = Id<struct PointIdTag>;

/// `v` rounded up to a multiple of `granule` (> 0).
constexpr std::int64_t RoundUp(std::int64_t v, std::int64_t granule) {
  return (v + granule - 1) / granule * granule;
}
constexpr Bytes RoundUp(Bytes v, Bytes granule) { return Bytes(RoundUp(v.value, granule.value)); }

}  // namespace spillway
