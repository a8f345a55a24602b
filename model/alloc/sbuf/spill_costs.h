// What it costs to keep a tensor in DRAM instead, or why that can't help.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/hwm.h"

namespace spillway {

enum class WhyUnspillable {
  kPrecoloured,     ///< the author fixed its place
  kOneInstruction,  ///< only one instruction touches it: a working copy would be as long-lived
  kKernelInput,     ///< it holds its value from the start: nothing would save it
  kNeverUsed,       ///< one instruction writes it and nothing reads it
  kAliasedBlocks,  ///< one instruction writes two blocks that may be one, and must save all of each
  kIndirect,       ///< addressed at run time, so a copy of a part can't stand in
  kNotACandidate,  ///< not an SBUF tensor, or a kernel output
};
std::string_view Describe(WhyUnspillable why);

/// Finite cycles, or unspillable with the reason. Infinity is a type here, not a number.
class SpillCost {
 public:
  static SpillCost Finite(double cycles) { return SpillCost(cycles, std::nullopt); }
  static SpillCost Unspillable(WhyUnspillable why) { return SpillCost(0, why); }

  bool IsFinite() const { return !why_; }
  /// Cycles of the target's reference clock. Contract: finite.
  double cycles() const;
  std::optional<WhyUnspillable> why() const { return why_; }

 private:
  SpillCost(double cycles, std::optional<WhyUnspillable> why) : cycles_(cycles), why_(why) {}
  double cycles_ = 0;
  std::optional<WhyUnspillable> why_;
};

/// Cost per tensor: every use pays a DRAM round trip of what it reads, every definition the SBUF
/// latency of what it writes (its save is asynchronous), each as often as its loops run. A tensor
/// that a load defines needs no save, and its own load is no use of DRAM more than before.
/// Source: seed 003 §1. The seed's linear form repeats loop bodies, so a use counts once per
/// iteration there too; a use outside all loops pays the DRAM tier here as well, since its reload
/// is a DMA all the same (choice).
IdVector<TensorId, SpillCost> FindCosts(const LinearKernel& linear,
                                        const IdVector<TensorId, std::optional<PointId>>& last_uses,
                                        const IdVector<TensorId, bool>& loads, const Hwm& hwm);

/// How often the loops around `point` let it run: the product of their trip counts.
double Occurrences(const LinearKernel& linear, PointId point);

}  // namespace spillway
