// Allocation functions, evaluated over all blocks of a tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/nki/alloc_func.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// Blocks of one tensor that are evaluated at most: as many as a kernel file may have.
inline constexpr std::int64_t kMostBlocks = std::int64_t{1} << 18;

/// The tensor's blocks; nothing where there are none, or more than `kMostBlocks`.
std::optional<std::int64_t> BoundedBlockCount(const Tensor& tensor);

/// What an allocation function returned for one block, whatever its length.
struct BlockTuple {
  std::vector<std::int64_t> block;
  std::vector<std::int64_t> tuple;
};

struct BlockTuples {
  std::vector<BlockTuple> tuples;  ///< row-major over the blocks, without those that failed
  std::vector<Violation> violations;
};

/// The author's function, called once a block in row-major order; a block where it throws is a
/// violation and has no tuple. The tensor must have a bounded number of blocks.
/// Source: seed 000 §8.5; isa_costs.md 4.1: evaluated over all block indices.
BlockTuples EvaluateTileFunction(const Tensor& tensor, const TileFunction& func);

/// The tuples of a law that `CheckModuloLaw` accepts: of PSUM (bank_id, 0, 0), of SBUF
/// (start_partition, byte_addr). Where the law leaves all memories: a violation and no tuples.
BlockTuples EvaluateLaw(const Tensor& tensor, const ModuloLaw& law);

}  // namespace spillway::nki
