// Bytes of a tensor: a plane of partitions x bytes for each of its blocks.
#pragma once

#include <cstdint>
#include <map>

#include "model/alloc/check/plane_set.h"
#include "model/alloc/ir/kernel.h"

namespace spillway::check {

/// Block (row-major index, or a distance between indices) to the bytes in it; no empty planes.
class BlockPlanes {
 public:
  BlockPlanes() = default;
  BlockPlanes(std::int64_t block, PlaneSet plane);
  /// Every byte of every block of `tensor`.
  static BlockPlanes Whole(const Tensor& tensor);

  bool empty() const { return planes_.empty(); }
  const std::map<std::int64_t, PlaneSet>& planes() const { return planes_; }

  void Unite(const BlockPlanes& other);
  void Subtract(const BlockPlanes& other);
  void IntersectWith(const BlockPlanes& other);
  BlockPlanes Shifted(std::int64_t blocks, PartitionCount partitions, Bytes bytes) const;
  /// What lies in `block` alone.
  BlockPlanes Only(std::int64_t block) const;

  friend bool operator==(const BlockPlanes&, const BlockPlanes&) = default;

 private:
  std::map<std::int64_t, PlaneSet> planes_;
};

}  // namespace spillway::check
