// The one place through which every direct allocation goes before anything else sees its addresses.
#pragma once

#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/nki/alloc_func.h"
#include "model/hw/target.h"
#include "model/hw/violation.h"

namespace spillway::nki {

/// A value, or everything that stands against it.
template <class T>
using Verified = tl::expected<T, std::vector<Violation>>;

struct AllocationLimits {
  std::optional<Bytes> sbuf_bytes = std::nullopt;  ///< fewer a partition than the target's
  std::optional<BankCount> psum_banks = std::nullopt;
};

/// Every rule that `func` breaks for `tensor`, over all of its blocks: never only the first. Each
/// violation names tensor, block, numbers and the rule; `AllocationRules` and docs/nki.md list
/// them.
///
/// The window is [0, sbuf_usable_bytes) of the target, and a tile's end counts as well as its
/// start. Seed 000 §8.2 prints trn1's as 184320; (192 - 16) * 1024 is 180224 (isa_costs.md 0).
///
/// The seed names two members of the map of PSUM banks, psum_addr_0 and psum_addr_1, and says of
/// them only that a physical tile is confined to one. No source says which two addresses they are,
/// so a bank here has one, bank * bank bytes, and the confinement is what is checked: byte_addr 0
/// and a tile of at most a bank.
/// Source: seed 000 §8.1 to §8.5; isa_costs.md 1.1 to 1.3 and 4.1 to 4.3.
std::vector<Violation> VerifyAllocation(const Tensor& tensor, const AllocFunc& func,
                                        const Target& target, const AllocationLimits& limits = {});

/// Where `func` puts each block, row-major, once nothing stands against it. PSUM bytes count
/// through all banks, as in `Address`. None for auto_alloc.
/// Source: seed 000 §8.5.
Verified<std::vector<Address>> CreateBufferAllocationOnBlocks(const Tensor& tensor,
                                                              const AllocFunc& func,
                                                              const Target& target,
                                                              const AllocationLimits& limits = {});

}  // namespace spillway::nki
