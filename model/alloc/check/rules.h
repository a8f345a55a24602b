// The rules of a placement, one a file of its name.
#pragma once

#include <string>

#include "model/alloc/check/placement_checker.h"

namespace spillway::check {

/// What every rule looks at.
struct Subject {
  const LinearKernel& linear;
  const Placement& placement;
  const Target& target;
  CheckOptions options;

  const Kernel& kernel() const { return linear.kernel; }
  Bytes sbuf_bytes() const { return options.sbuf_bytes.value_or(target.sbuf_usable_bytes.value); }
  BankCount psum_banks() const { return options.psum_banks.value_or(UsablePsumBanks(target)); }
  /// The tensor's addresses; none for a tensor that the placement doesn't know.
  const std::vector<Address>& AddressesOf(TensorId tensor) const;
};

/// "tile", or "tile block 3" where the tensor has blocks.
std::string NameOf(const Tensor& tensor, std::size_t block);
/// [start, end) of a block at `address`; the end stops at the largest number instead of wrapping.
Interval<ByteOffset> BytesOf(const Tensor& tensor, const Address& address);

/// Every accessed on-chip tensor has an address a block, within the bytes of its memory.
CheckResult CheckBounds(const Subject& subject);
/// No rectangle reaches past the last partition, and each starts where its height allows.
CheckResult CheckPartitions(const Subject& subject);
/// Fixed SBUF tensors on the target's smallest alignment, allocated ones on the granule; DRAM homes
/// that an allocator placed on pages, and no block smaller than a page across two of them.
CheckResult CheckAlignment(const Subject& subject);
/// PSUM tiles lie in banks that exist and don't cross from one to the next.
CheckResult CheckPsumBanks(const Subject& subject);
/// No two blocks that are alive at one point share bytes and partitions.
CheckResult CheckOverlap(const Subject& subject);
/// Every accumulation lands on bytes that something else may have written before.
CheckResult CheckAccumulation(const Subject& subject);

}  // namespace spillway::check
