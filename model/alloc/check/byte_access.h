// Which bytes of the machine's memories each instance of a placed kernel reads and writes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/interval.h"

namespace spillway::check {

/// One rectangle that an instance reads or writes. DRAM is one partition.
struct ByteAccess {
  bool is_write = false;
  Space space = Space::kDram;
  Rectangle where;
  TensorId tensor;
  std::int64_t block = 0;
};

/// The accesses of a kernel's instructions at given loop values.
class ByteAccesses {
 public:
  /// `places` has an address a block for every tensor that is accessed. Both must outlive this.
  ByteAccesses(const Kernel& kernel, const Placement& places);

  /// Reads first, then writes, each in operand order and by bytes; valid until the next call. A
  /// pattern of more than 4,096 runs counts as its hull, and a block without a place as nowhere.
  /// DRAM that no instruction of the kernel writes isn't listed: nobody can meet there.
  std::span<const ByteAccess> Of(InstructionId instruction, std::span<const std::int64_t> values);

 private:
  void Append(const Access& access, std::span<const std::int64_t> values);

  const Kernel& kernel_;
  const Placement& places_;
  IdVector<InstructionId, std::vector<Access>> accesses_;
  IdVector<TensorId, bool> quiet_;  ///< DRAM whose bytes nobody writes
  std::vector<ByteAccess> found_;
};

}  // namespace spillway::check
