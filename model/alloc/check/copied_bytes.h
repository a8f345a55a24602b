// What a copy does with the bytes of a block that lie at its source: which of them arrive where.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/check/held_values.h"
#include "model/alloc/check/placed_operand.h"
#include "model/alloc/ir/kernel.h"

namespace spillway::check {

/// A way through both patterns of a copy: `count` elements, each one step further in both.
struct CopyStep {
  std::int64_t partitions = 0;
  std::int64_t bytes = 0;
};
struct CopyDim {
  std::int64_t count = 1;
  CopyStep from;
  CopyStep to;
};

/// The dimensions of a copy that moves bytes as they are, outermost first; the last one holds the
/// bytes of an element. Nothing where the two patterns don't visit equally many elements of one
/// type, or split them in ways that share no common dimensions.
std::optional<std::vector<CopyDim>> CopyDimsOf(const Kernel& kernel, const Operand& from,
                                               const Operand& to);

/// Which bytes of a block that lies at `source.at`, with `source.bytes` in it, the copy brings
/// where, in parts that move alike; bytes that `source` doesn't hold may be among them.
/// `row_bytes` is the size of the block in one partition. Empty where nothing is certain.
std::vector<Holding> CopiedBytes(const std::vector<CopyDim>& dims, const Start& from,
                                 const Start& to, const Holding& source, std::int64_t row_bytes);

}  // namespace spillway::check
