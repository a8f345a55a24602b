// Which part of a tensor an operand touches, decoded from a byte.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// An open loop, as the choices see it: it runs `trips` times from `begin` by `step`.
struct OpenLoopShape {
  LoopId id;
  std::int64_t begin = 0;
  std::int64_t step = 1;
  std::int64_t trips = 1;
};

/// The loop's variable.
AffineExpr IndexOf(const OpenLoopShape& loop);

/// An operand of `tensor` (block indices left empty): everything, a half, a band of partitions, a
/// stretch that moves with a loop or turns round by a modulus, every other element, backwards, the
/// same again (reads only), or reinterpreted. What isn't possible gives everything. Stays inside
/// the tensor in every iteration.
Operand ChooseRegion(const Tensor& tensor, TensorId id, std::span<const OpenLoopShape> loops,
                     std::uint8_t region, std::uint8_t detail, bool is_write);

/// `whole`, an operand of all of `tensor`, in two parts: halves, every other element, or
/// partitions; in one where it can't be divided so.
std::vector<Operand> ChooseHalves(const Tensor& tensor, const Operand& whole, std::uint8_t region);

/// An index below `blocks`: fixed, or turning round with a loop.
AffineExpr ChooseBlock(std::int64_t blocks, std::span<const OpenLoopShape> loops,
                       std::uint8_t detail);

}  // namespace spillway
