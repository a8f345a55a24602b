// One access to one tile in one iteration, with the names that its author gave.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/nki/tile_walk.h"

namespace spillway::nki {

/// An instance of an instruction that reads or writes a logical tile: one block of a tensor.
struct TileUse {
  TensorId tensor;
  std::int64_t block = 0;  ///< row-major
  InstructionId instruction;
  PointId point;              ///< of the linear form
  std::int64_t instance = 0;  ///< of the walk that found it
  /// Loop and value, outermost first; of an unrolled kernel the source loops of the instruction.
  std::vector<std::pair<std::string, std::int64_t>> iteration;

  friend bool operator==(const TileUse&, const TileUse&) = default;
};

/// Fills point, instruction and iteration in, from the numbers of instances: walks once more, as
/// far as the last of them.
void NameInstances(TileWalk walk, const Kernel& kernel,
                   const std::multimap<std::int64_t, TileUse*>& uses);

/// The block's index in each dimension.
std::vector<std::int64_t> IndexOf(const Tensor& tensor, std::int64_t block);
/// "k[1, 3]", or "k" for a tensor without blocks.
std::string TileName(const Tensor& tensor, std::int64_t block);
/// "dma_copy (kernel.py:12) at i=3, j=0", without the parts that aren't there.
std::string DescribeUse(const Kernel& kernel, const TileUse& use);

}  // namespace spillway::nki
