#include "model/alloc/check/block_planes.h"

#include <iterator>

namespace spillway::check {

BlockPlanes::BlockPlanes(std::int64_t block, PlaneSet plane) {
  if (!plane.empty()) planes_.emplace(block, std::move(plane));
}

BlockPlanes BlockPlanes::Whole(const Tensor& tensor) {
  const Partition first(0);
  const PartitionCount partitions =
      tensor.space == Space::kDram ? PartitionCount(1) : Partitions(tensor);
  const ByteOffset start(0);
  const Runs all = {{start, start + BlockBytes(tensor)}};
  BlockPlanes whole;
  for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
    whole.Unite(BlockPlanes(block, PlaneSet({first, first + partitions}, all)));
  }
  return whole;
}

void BlockPlanes::Unite(const BlockPlanes& other) {
  for (const auto& [block, plane] : other.planes_) planes_[block].Unite(plane);
}

void BlockPlanes::Subtract(const BlockPlanes& other) {
  const auto subtract = [this](auto mine, const PlaneSet& theirs) {
    mine->second.Subtract(theirs);
    return mine->second.empty() ? planes_.erase(mine) : std::next(mine);
  };
  if (other.planes_.size() < planes_.size()) {
    for (const auto& [block, plane] : other.planes_) {
      const auto mine = planes_.find(block);
      if (mine != planes_.end()) subtract(mine, plane);
    }
    return;
  }
  for (auto mine = planes_.begin(); mine != planes_.end();) {
    const auto theirs = other.planes_.find(mine->first);
    mine = theirs == other.planes_.end() ? std::next(mine) : subtract(mine, theirs->second);
  }
}

void BlockPlanes::IntersectWith(const BlockPlanes& other) {
  for (auto mine = planes_.begin(); mine != planes_.end();) {
    const auto theirs = other.planes_.find(mine->first);
    if (theirs != other.planes_.end()) mine->second.IntersectWith(theirs->second);
    const bool gone = theirs == other.planes_.end() || mine->second.empty();
    mine = gone ? planes_.erase(mine) : std::next(mine);
  }
}

BlockPlanes BlockPlanes::Shifted(std::int64_t blocks, PartitionCount partitions,
                                 Bytes bytes) const {
  BlockPlanes moved;
  for (const auto& [block, plane] : planes_) {
    moved.planes_.emplace_hint(moved.planes_.end(), block + blocks,
                               plane.Shifted(partitions, bytes));
  }
  return moved;
}

BlockPlanes BlockPlanes::Only(std::int64_t block) const {
  const auto found = planes_.find(block);
  return found == planes_.end() ? BlockPlanes() : BlockPlanes(block, found->second);
}

}  // namespace spillway::check
