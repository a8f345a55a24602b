// Tensors that should share a layout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway {

struct Partners {
  /// The other members of each tensor's group, ascending; empty where it stands alone.
  IdVector<TensorId, std::vector<TensorId>> of;
  /// The start partition that the group gives a tensor of fewer than 65 partitions.
  IdVector<TensorId, std::optional<Partition>> base;
  /// "accumulation group is too large for SB …" where grouping was switched off; else empty.
  std::string note;
};

/// Groups: the two operands of a matmul contract over the same partitions, so their base
/// partitions are normalised to one; copy-related pairs stay together without sharing a base.
/// Members of a base group whose sizes no longer fit one band (`capacity` bytes per partition)
/// switch grouping off for the whole function. A tensor with `at` fixes its group's base; a full
/// tensor starts at partition 0; a base that no legal start allows leaves the pair apart.
/// Source: colorer.md §2, find_partners.
Partners FindPartners(const LinearKernel& linear, Bytes capacity);

}  // namespace spillway
