// The latency oracle that the allocators see; they never learn where the numbers come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/hw/engine.h"
#include "model/hw/target.h"
#include "model/hw/units.h"

namespace spillway {

/// One access as the spill cost sees it: a rectangle of `partitions` x `bytes` per partition.
struct AccessShape {
  PartitionCount partitions{128};
  Bytes bytes_per_partition;
};

/// Latency of an access by memory and size, in cycles of the target's reference clock.
/// Source: seed 003 §1 (getLatency by memory type).
class Hwm {
 public:
  virtual ~Hwm() = default;
  /// "closed-form trn2", "measured trn2", …
  virtual std::string Name() const = 0;
  /// Cycles of one access; kDram is a whole DMA round trip of that size. Never zero.
  virtual Cycles Latency(Space space, AccessShape shape) const = 0;
};

/// The compiler's own formulas (readInit + exec + writeDrain).
/// Source: hwm_and_geometry section 2; `closed_form_hwm.cc` has them row by row.
std::unique_ptr<Hwm> MakeClosedFormHwm(const Target& target);

}  // namespace spillway
