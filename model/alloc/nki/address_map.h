// The bytes of one memory that automatic tensors hold at the moment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/target.h"

namespace spillway::nki {

/// One placed block.
struct HeldBlock {
  std::string tensor;
  Rectangle place;  ///< what it keeps from others: whole banks in PSUM
};

/// What SBUF or PSUM holds, and the lowest place for more. PSUM counts bytes through all banks; a
/// block keeps its banks for itself, since accumulation groups can't share one.
/// Source: seed 000 §8.6 (the bank map and the SBUF address map of the automatic allocator).
class AddressMap {
 public:
  AddressMap(Space space, Bytes capacity, const Target& target);

  /// The lowest free place of one block, lower bytes before lower partitions; nothing if there is
  /// none.
  std::optional<Address> LowestPlace(const Tensor& tensor) const;
  /// What a block of `tensor` at `address` keeps from others.
  Rectangle KeptBy(const Tensor& tensor, const Address& address) const;
  void Hold(HeldBlock block);
  void Release(const std::string& tensor);

  Bytes capacity() const { return capacity_; }
  /// Sorted by their first byte.
  const std::vector<HeldBlock>& held() const { return held_; }

 private:
  Bytes capacity_;
  Bytes step_;   ///< places start at multiples of it
  Bytes whole_;  ///< a block keeps whole multiples of it
  PartitionCount partitions_;
  std::vector<HeldBlock> held_;
};

}  // namespace spillway::nki
