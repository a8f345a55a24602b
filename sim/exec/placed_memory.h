// The machine's memories as tensors at their places.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/hw/interval.h"
#include "model/hw/timing/machine_memory.h"
#include "sim/lower/memory_map.h"
#include "sim/values/inputs.h"
#include "sim/values/memory_view.h"
#include "sim/values/pattern.h"
#include "sim/values/tensor_data.h"

namespace spillway {

/// Bytes of the machine: the same range in each of some partitions. DRAM is partition 0.
struct PlacedBytes {
  Space space = Space::kDram;
  Rectangle rectangle;
};

inline bool Overlap(const PlacedBytes& a, const PlacedBytes& b) {
  return a.space == b.space && Overlap(a.rectangle, b.rectangle);
}

/// Blocks of `kernel`'s tensors inside `memory`, at the addresses of `map`. All three must outlive
/// this.
class PlacedMemory final : public MemoryView {
 public:
  PlacedMemory(const Kernel& kernel, const MemoryMap& map, MachineMemory& memory)
      : kernel_(kernel), map_(map), memory_(memory) {}

  BlockView Block(TensorId tensor, std::int64_t block) override;

  /// Smallest PlacedBytes that hold every element of `pattern`.
  PlacedBytes HullOf(const Pattern& pattern) const;

  /// Packed bytes of the whole tensor.
  TensorData Copy(TensorId tensor);
  /// The other way round; `packed` must have the tensor's size.
  void Fill(TensorId tensor, std::span<const std::byte> packed);

 private:
  const Address& AddressOf(TensorId tensor, std::int64_t block) const;

  const Kernel& kernel_;
  const MemoryMap& map_;
  MachineMemory& memory_;
};

/// Puts the data of inputs and constants in place, and what the reference starts other DRAM with.
void LoadTensors(const Kernel& kernel, const MemoryMap& map, const Inputs& inputs,
                 PlacedMemory& memory);
/// Bytes of every output, by name.
NamedData OutputsIn(const Kernel& kernel, PlacedMemory& memory);

}  // namespace spillway
