// The nodes of the colouring: one per live block of every SBUF tensor.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/sbuf/find_partners.h"
#include "model/alloc/sbuf/height_class.h"
#include "model/alloc/sbuf/live_ranges.h"

namespace spillway {

using NodeId = Id<struct NodeTag>;

/// Where an immovable node lies, in granules (outwards to whole granules) and quadrants.
struct Reservation {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  QuadrantMask quadrants = 0;
};

/// An interval of time that needs a rectangle: one live block (EInterval{start, end, block}).
struct Node {
  TensorId tensor;
  std::int64_t block = 0;  ///< live block, 0 to live_blocks - 1
  Interval<PointId> life;
  Granules size;
  HeightClass height = HeightClass::kFull;
  std::optional<Reservation> fixed;  ///< a tensor with `at`

  /// Granules x quadrants: how much of the memory the node takes.
  std::int64_t Area() const {
    return size.value * std::popcount(static_cast<unsigned>(BandsOf(height).front()));
  }
};

struct Nodes {
  IdVector<NodeId, Node> all;
  IdVector<TensorId, std::vector<NodeId>> of;  ///< by live block; empty for other tensors
};

/// Source: colorer.md §2 and §3 (nodes, EInterval).
Nodes CreateIntervals(const Kernel& kernel,
                      const IdVector<TensorId, std::optional<LiveRange>>& ranges,
                      const Partners& partners, Bytes granule);

}  // namespace spillway
