// Gives spilled tensors a DRAM home and short-lived working copies.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/alloc/sbuf/residences.h"
#include "model/hw/error.h"

namespace spillway {

/// Where a working copy's value lives while it isn't in SBUF: a home of its own, or the input that
/// the tensor was loaded from. Neither, where no reload needed a home so far.
struct Home {
  std::optional<TensorId> dram;
  std::vector<AffineExpr> block;       ///< the home's block that the copy stands for
  std::optional<Operand> load_source;  ///< with `load_destination`: repeat that load
  std::optional<Operand> load_destination;
};
using Homes = std::map<TensorId, Home>;  ///< by working copy

struct SpillCounters {
  std::int64_t homes = 0;            ///< serial of "_SpillSave" names
  std::int64_t reload_copies = 0;    ///< serial of "_ReloadStore" names; the spill cap bounds it
  std::int64_t reloads_removed = 0;  ///< uses that found their bytes still resident
};

struct SpilledFunction {
  Kernel kernel;
  Homes homes;
  SpillCounters counters;
};

/// `linear` with every tensor of `spilled` (ascending) replaced by working copies: a reload before
/// each use whose bytes aren't resident, a save after each definition, both under the instruction's
/// predicates and in its loops. A tensor that a load defines repeats the load instead and is never
/// saved; its load goes. A copy of an earlier round is split into one copy per use, with the home
/// that it had. Tensors left without an access stay for `Renumber` to drop.
/// Errors: kSpillCap ("Warning: too many spills required, turning optimizations off").
/// Source: seed 003 §4.
Result<SpilledFunction> InsertSpillCode(const LinearKernel& linear,
                                        const IdVector<NodeId, Node>& nodes,
                                        const std::vector<TensorId>& spilled,
                                        const IdVector<TensorId, bool>& loads, const Homes& homes,
                                        SpillCounters counters, Granules capacity, Bytes granule,
                                        std::int64_t spill_cap);

}  // namespace spillway
