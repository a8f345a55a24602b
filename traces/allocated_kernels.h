// Kernels of the project's own that are allocated by hand, in the style of NKI's direct allocation:
// logical blocks, modulo laws, bank maps and loops.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

// All sizes are positive; other values than the comments allow throw ContractViolation. Every SBUF
// tensor has a modulo law; a PSUM tensor has a law or, where its author would have written a
// function of the block, addresses.
// Source: shapes, byte totals and banks: nki_kernels_and_issues.md 1.2, isa_costs.md 4.4; the law:
// seed 000 §8.3. The algorithms are the public ones, the programs this project's.

/// out[b, s, h] = sum over d of hidden[b, s, d] * r[b, s] * weights[d, h], where r is one over the
/// root of the mean over d of hidden^2 plus 1e-6. Tiles of 128 rows take turns in two buffers; the
/// weights stay. Nine SBUF tensors, two in PSUM, in banks 0 and 7. On trn1.
struct RmsNormQkvShape {
  std::int64_t batch = 1;
  std::int64_t rows = 512;     ///< S: a multiple of 128
  std::int64_t width = 8192;   ///< D: a multiple of 512, at most 8192
  std::int64_t columns = 512;  ///< H: at most 512
};
Kernel RmsNormQkv(const RmsNormQkvShape& shape = {});

/// out[b, s, e] = sum over t of softmax over t of (q[b, :, s] . k[b, :, t] / sqrt(128)) *
/// v[b, t, e], in float32 outside and bfloat16 inside. 17 SBUF tensors; two PSUM tensors by law and
/// two by a map of banks, which share the eight banks at different times. On trn1.
struct AttentionBankMapShape {
  std::int64_t batch = 1;
  std::int64_t sequence = 4096;  ///< S: a multiple of 1024
};
Kernel AttentionBankMap(const AttentionBankMapShape& shape = {});

/// The same function in bfloat16, by sections of 2048 keys with a running maximum and sum. Two
/// tiles of 128 queries alternate: while one's exponentials are taken, the other's scores are
/// computed. 18 SBUF tensors from a bump pointer; scores in PSUM banks 0 to 3, transposed tiles in
/// the two banks of 4 to 7 that belong to the other tile's product with v, products in banks 4
/// to 7. On trn2.
struct PipelinedAttentionShape {
  std::int64_t sequence = 16384;  ///< S: a multiple of 2048
};
Kernel PipelinedAttention(const PipelinedAttentionShape& shape = {});

/// y = x * r with r as in RmsNormQkv. The tile `distance` ahead is loaded before a tile is used:
/// `buffers` must be more than `distance`, or the load destroys the tile in use. On trn1.
struct PrefetchedRmsNormShape {
  std::int64_t tiles = 6;     ///< of 128 rows; at least `distance`
  std::int64_t width = 1024;  ///< D
  std::int64_t distance = 2;
  std::int64_t buffers = 3;
};
Kernel PrefetchedRmsNorm(const PrefetchedRmsNormShape& shape = {});

/// The four above at their default sizes, and `pipelined_attention_4k`, which is PipelinedAttention
/// with a sequence of 4096. traces/allocated holds them printed.
std::vector<Kernel> AllocatedKernels();

/// Kernels whose allocation is wrong on purpose, named after the mistake: `double_buffer_too_short`
/// is PrefetchedRmsNorm with two buffers for a distance of two. traces/allocated/broken holds them.
std::vector<Kernel> BrokenAllocatedKernels();

}  // namespace spillway
