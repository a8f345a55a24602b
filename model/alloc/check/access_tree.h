// The accesses of one tensor in their loops, with what each loop needs and does as a whole.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/check/region.h"

namespace spillway::check {

/// An instruction that accesses the tensor, or a loop around such instructions.
struct AccessNode {
  PointId first;  ///< the instruction, or the loop's header
  PointId last;   ///< the instruction, or the loop's terminator
  std::optional<LoopId> loop;
  std::vector<AccessNode> children;  ///< of a loop, in program order
  RegionSet reads;    ///< what may be read that the node itself has not written before
  RegionSet carried;  ///< of a loop: what an iteration may read that it hasn't written before
  RegionSet certain_writes;  ///< what is certainly written once the node is done
  BlockPlanes possible_writes;
};

/// One access of the tensor, ready to be put into the tree.
struct PlacedAccess {
  PointId point;
  bool is_write = false;
  AccessRegion what;
};
std::vector<PlacedAccess> PlacedAccessesOf(const LinearKernel& linear, TensorId tensor);

/// The instructions and outermost loops that access the tensor, in program order. Reads hold only
/// bytes that something may have written by then, or that `defined_at_start` holds.
std::vector<AccessNode> AccessTreeOf(const LinearKernel& linear,
                                     const std::vector<PlacedAccess>& accesses,
                                     const BlockPlanes& defined_at_start);

}  // namespace spillway::check
