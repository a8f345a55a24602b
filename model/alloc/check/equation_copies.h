// Instructions that copy bytes, as moves between sites.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/alloc/check/equation_sites.h"

namespace spillway::check::backward {

/// The two operands of a copy, and how their patterns lie to each other.
struct CopyShape {
  enum class Form {
    kSamePattern,  ///< equal patterns, both in planes or both flat
    kLoad,         ///< plane from flat, a row a partition
    kSave,         ///< flat from plane, a row a partition
    kPieces,       ///< anything else: a move for each contiguous run
  };
  const Operand* to = nullptr;
  const Operand* from = nullptr;
  Form form = Form::kPieces;
  Bytes row;  ///< kLoad, kSave: of the flat side, from one partition to the next
};

/// Nothing where `instruction` doesn't copy one direct operand to another of the same type, element
/// by element. A copy that is no spill code must not combine what it copies with anything.
std::optional<CopyShape> CopyShapeOf(const Kernel& kernel, const Instruction& instruction);

/// The moves at these loop values, where the operands' blocks lie at `to` and `from`: in the
/// coordinates of the block in a plane for kLoad and kSave, of the destination's block otherwise.
std::vector<Move> MovesOf(const Kernel& kernel, const CopyShape& shape, const Site& to,
                          const Site& from, std::span<const std::int64_t> loop_values);

}  // namespace spillway::check::backward
