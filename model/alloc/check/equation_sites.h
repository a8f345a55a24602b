// Where bytes of a tensor lie, and what a move does to that: the backward judge's geometry.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/check/plane_set.h"
#include "model/alloc/ir/kernel.h"
#include "model/alloc/ir/placement.h"

namespace spillway::check::backward {

/// Takes a block's (partition, byte) to a place of a memory.
///
///     kPlane: (partition + first, byte + second) of SBUF or PSUM
///     kFlat:  byte (first + partition * second + byte) of DRAM
///     kLost:  nowhere: the instruction at point `memory` writes tensor `first` over it
struct Site {
  enum class Form { kPlane, kFlat, kLost };
  Form form = Form::kPlane;
  std::uint32_t memory = 0;
  std::int64_t first = 0;
  std::int64_t second = 0;

  friend auto operator<=>(const Site&, const Site&) = default;
};

/// Bytes of a block, in its own coordinates, and where they lie.
struct SitedBytes {
  PlaneSet bytes;
  Site site;
};

/// Block `block` of `tensor`. A tensor without addresses has a memory of its own.
Site SiteOf(const Kernel& kernel, const Placement& placement, TensorId tensor, std::int64_t block);

/// Whether two sites agree on the places of `bytes`.
bool SamePlaces(const PlaneSet& bytes, const Site& a, const Site& b);

/// What of `of` lies at places of `with`, in the coordinates of `of`.
PlaneSet SharedBytes(const SitedBytes& of, const SitedBytes& with);

/// Bytes that move, in coordinates of their own.
struct Move {
  PlaneSet bytes;
  Site to;
  Site from;
};

/// Where `of` (all of it at destinations of `move`) lay before the move.
std::vector<SitedBytes> BeforeMove(const SitedBytes& of, const Move& move);

}  // namespace spillway::check::backward
