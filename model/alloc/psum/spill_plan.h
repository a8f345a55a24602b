// How a PSUM tensor would be spilled: where it must stay in PSUM, and what is copied in between.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"

namespace spillway::psum {

enum class WhyUnspillable {
  kPrecoloured,   ///< the author fixed its place
  kOneResidence,  ///< it is needed from its first to its last point: copies would live as long
  kAccumulator,   ///< accumulations run through its whole life, or through loops that copies can't
                  ///< follow
  kIndirect,      ///< addressed at run time, so a copy of a part can't stand in
  kSpillCopy,     ///< made by an earlier spill: as short-lived as can be
};
std::string_view Describe(WhyUnspillable why);

/// A part of the spilled tensor to copy, under predicates.
struct SpillCopy {
  Operand operand;  ///< of the spilled tensor
  std::vector<Predicate> when;
};

/// A stretch of the program through which the tensor stays in PSUM: one instruction, or an
/// accumulation group from the write that opens it to its last accumulation.
struct Residence {
  PointId first;  ///< reloads go before this point: an instruction, or a loop's header
  PointId last;   ///< saves go after this point: an instruction, or a loop's terminator
  std::optional<LoopId> level;  ///< the loop in whose body both lie
  std::vector<PointId> uses;    ///< instructions that access the tensor, ascending
  std::vector<SpillCopy> reloads;
  std::vector<SpillCopy> saves;
  std::optional<std::vector<AffineExpr>> block;  ///< the one block that is needed, if it is one
};

struct SpillPlan {
  std::vector<Residence> residences;  ///< in program order; empty where `why` says why not
  std::optional<WhyUnspillable> why;

  bool IsSpillable() const { return !why; }
};

/// The plan for `tensor`. An accumulation reads what PSUM holds, and hardware can't accumulate onto
/// what a copy brought back: its group stays in one piece, whole loops included.
/// Source: colorer.md §5; isa_costs §2 (accumulating onto a location that a non-matmul wrote).
SpillPlan PlanSpill(const LinearKernel& linear, TensorId tensor);

}  // namespace spillway::psum
