// The latency oracle that the allocators see; they never learn where the numbers come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/hw/engine.h"
#include "model/hw/error.h"
#include "model/hw/instruction_shape.h"
#include "model/hw/target.h"
#include "model/hw/units.h"

namespace spillway {

/// One access as the spill cost sees it: a rectangle of `partitions` x `bytes` per partition.
struct AccessShape {
  PartitionCount partitions{128};
  Bytes bytes_per_partition;
};

/// What an instruction takes by itself, in cycles of the target's reference clock: until the first
/// element arrives, until the last is done, until the results can be read.
/// Source: hwm_and_geometry §2, latency(inst) = readInit + exec + writeDrain.
struct InstructionLatency {
  Cycles read_init;
  Cycles exec;
  Cycles write_drain;
  Cycles total() const { return read_init + exec + write_drain; }
  friend bool operator==(const InstructionLatency&, const InstructionLatency&) = default;
};

/// Latency of an access by memory and size, and of an instruction, in cycles of the target's
/// reference clock.
/// Source: seed 003 §1 (getLatency by memory type).
class Hwm {
 public:
  virtual ~Hwm() = default;
  /// "closed-form trn2", "measured trn2", …
  virtual std::string Name() const = 0;
  /// Cycles of one access; kDram is a whole DMA round trip of that size. Never zero.
  virtual Cycles Latency(Space space, AccessShape shape) const = 0;
  /// What `shape` takes by itself; its total is never zero.
  /// Errors: UnpricedOpcode, NoDescriptorGenerator.
  virtual Result<InstructionLatency> Latency(const InstructionShape& shape) const = 0;
};

/// kUnknownName "unpriced-opcode": names oracle, operation and engine. Loops and barriers never
/// have a price.
Error UnpricedOpcode(const Hwm& hwm, const InstructionShape& shape);
/// kUnknownName "no-descriptor-generator": the hardware is to make the descriptors of a DMA on a
/// generation that can't.
Error NoDescriptorGenerator(const Hwm& hwm, const InstructionShape& shape);

/// The compiler's own formulas (readInit + exec + writeDrain).
/// Source: hwm_and_geometry section 2; `closed_form_hwm.cc` has them row by row.
std::unique_ptr<Hwm> MakeClosedFormHwm(const Target& target);

}  // namespace spillway
