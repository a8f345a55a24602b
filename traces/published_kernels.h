// Matrix products whose times on hardware are published, rebuilt from their description.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

// out[m, n] = sum over k of lhs[k, m] * rhs[k, n] in bfloat16, by products of 128 x 128 x 512 that
// add up in a PSUM tile, which Vector copies to SBUF as bfloat16. The three differ in how they
// load. Their traffic at the default sizes (4096 x 4096 x 4096) is what the measurement's profile
// shows; loop order and numbers of buffers are this project's, since the profile doesn't show them.
// Source: isa_costs §3.6. All sizes are at least 1; other values throw ContractViolation.
struct PublishedMatmulShape {
  std::int64_t m_tiles = 32;  ///< of 128 rows
  std::int64_t n_tiles = 8;   ///< of 512 columns
  std::int64_t k_tiles = 32;  ///< of 128; V0: a multiple of 8
};

/// V0, tile by tile: a load of 128 x 1024 bytes for every product, and one of 128 x 256 bytes for
/// every product of the first of each three tiles in a row, since their stationary operand stays.
/// Measured: 8192 + about 3068 loads and 255 stores; here 8192 + 3072 and 256.
Kernel MatmulV0(const PublishedMatmulShape& shape = {});

/// V1, blocked by 8 x 2 tiles over all of K: 1024 loads of 128 x 256 bytes, 1024 of 128 x 1024.
/// `m_tiles` is a multiple of 8, `n_tiles` of 2.
Kernel MatmulV1(const PublishedMatmulShape& shape = {});

/// V2, the same with a block's row of tiles in one load: 128 + 512 loads of 128 x 2048 bytes.
Kernel MatmulV2(const PublishedMatmulShape& shape = {});

/// All three at their default sizes. traces/published holds them printed.
std::vector<Kernel> PublishedKernels();

}  // namespace spillway
