// What each PSUM tensor needs: how many banks, and for how long.
#pragma once

#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/target.h"

namespace spillway::psum {

using NodeId = Id<struct BankNodeTag>;

/// An accessed PSUM tensor. Every live block takes whole consecutive banks.
struct BankRange {
  TensorId tensor;
  Interval<PointId> life;        ///< from the first definition to the last use
  std::int64_t blocks = 1;       ///< liveN
  BankCount banks_per_block{1};  ///< ceil(bytes per partition / bank bytes)
  bool is_fixed = false;         ///< its author chose its place
  std::vector<BankId> fixed;     ///< then: the banks that it touches

  BankCount banks() const {
    return is_fixed ? BankCount(static_cast<std::int64_t>(fixed.size())) : banks_per_block * blocks;
  }
};

/// One range per accessed PSUM tensor, in the order of the tensors.
/// Errors: kCapacity ("<name> is too big for PSUM, requires <n> banks with PSUM size <m>"),
/// kPartitionRange (more partitions than PSUM has).
/// Source: colorer.md §3 and §5.
Result<IdVector<NodeId, BankRange>> FindBankRanges(const LinearKernel& linear, const Target& target,
                                                   BankCount banks);

/// The most banks that are alive at one point.
BankCount PeakBanks(const IdVector<NodeId, BankRange>& ranges, std::size_t point_count);

}  // namespace spillway::psum
