// How long the working copies of spilled tensors stay in SBUF: which reloads are redundant.
#pragma once

#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/sbuf/intervals.h"

namespace spillway {

/// What one instruction does to one block of one spilled tensor.
struct SpilledUse {
  PointId point;
  TensorId tensor;
  std::vector<AffineExpr> block;
  std::vector<const Access*> reads;
  std::vector<const Access*> writes;
};

/// Uses that share one working copy, in program order, all at one loop level.
struct Residence {
  TensorId tensor;
  std::vector<SpilledUse> uses;
};

/// Every instruction but spill DMAs that touches a tensor of `spilled` (ascending), by tensor, then
/// point. Source: seed 003 §4 (collect_def_use).
std::vector<SpilledUse> CollectUses(const LinearKernel& linear,
                                    const std::vector<TensorId>& spilled);

/// Granules that unspilled nodes leave free at each point, whatever their bands: what working
/// copies may fill without a risk of new spills by size.
std::vector<std::int64_t> FreeGranules(const IdVector<NodeId, Node>& nodes,
                                       const std::vector<TensorId>& spilled,
                                       std::size_t point_count, Granules capacity);

/// Groups consecutive uses of a tensor into residences where the copy can stay in SBUF from one to
/// the next: the next use reads; both stand at one loop level with no use in between (so no back
/// edge and no deeper nest is crossed); no write that may alias the block stands between them; and
/// at every point of the gap the copy fits into what is free. Short gaps first. Tensors of `apart`
/// (working copies of an earlier round, and what didn't fit then) get one residence per use.
/// Source: seed 003 §4 (fast_liveness_analysis, find_redundant_reloads, find_next_user).
std::vector<Residence> FindResidences(const LinearKernel& linear, std::vector<SpilledUse> uses,
                                      const std::vector<TensorId>& apart,
                                      std::vector<std::int64_t> free, Bytes granule);

}  // namespace spillway
