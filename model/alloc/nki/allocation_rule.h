// The rules of direct allocation by name: what kind of violation each is, and who says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/alloc/ir/kernel.h"
#include "model/hw/violation.h"

namespace spillway::nki {

enum class AllocationRule {
  // Of the call
  kMemory,       ///< an SBUF function for a PSUM tensor, or the other way round
  kFunction,     ///< an author's function that throws, or isn't there
  kBlockCount,   ///< more blocks than are evaluated
  kTensorShape,  ///< dimensions of at least 1, and sizes that can be counted
  // Of all tiles
  kPartitionCount,  ///< tiles have between one partition and all
  kPartitionEnd,    ///< start_partition + pdim_size within the memory
  // Of SBUF tiles
  kSbufTuple,
  kSbufStartPartition,  ///< the tiers
  kSbufWindow,          ///< byte_addr within the usable bytes
  kSbufTileEnd,         ///< byte_addr + fdim_size within them
  kSbufAlignment,
  // Of PSUM tiles
  kPsumTuple,
  kPsumTileSize,  ///< fdim_size within one bank
  kPsumBank,
  kPsumStartPartition,
  kPsumByteAddr,
  // Of modulo allocations
  kTileCounts,     ///< a tuple of counts: () or one a block dimension, each at least 1
  kBasePartition,  ///< must be 0
  kBaseAddr,       ///< PSUM: must be 0; SBUF: not negative
  kBaseBank,       ///< not negative; SBUF has none
  kPsumParTiles,
  kPsumFreeTiles,
  kParTilesHeight,  ///< num_par_tiles is for short tiles
  kModuloRange,     ///< an address beyond all memories
  // Of whole kernels
  kMixedAllocation,
  kAddressCount,  ///< one address a block
  kImplicitBias,
  kImplicitTranspose,
  kImplicitTemporary,
  kDramTensor,
  kInitialValue,
  kUnknownTensor,
};

struct AllocationRuleRow {
  AllocationRule rule;
  std::string_view name;  ///< stable, for example "sbuf-start-partition"
  Kind kind;
  std::string_view meaning;    ///< what the rule asks; the table of docs/nki.md has the same words
  std::string_view source;     ///< of the project's references: for that table, not for messages
  std::string_view nki_error;  ///< NKI's own name of the violation, where it has one
};

/// All rules, in the order of the enumeration.
std::span<const AllocationRuleRow> AllocationRules();
const AllocationRuleRow& RowOf(AllocationRule rule);

/// "[docs/nki.md: psum-bank]", and NKI's own error where there is one: the end of every message,
/// and something that its reader can open.
std::string WhereToRead(const AllocationRuleRow& row);

/// "(0, 3)", as Python prints a tuple of numbers.
std::string TupleText(std::span<const std::int64_t> tuple);

/// A violation of `rule` by `tensor`; its text ends with where to read about the rule.
Violation BrokenRule(AllocationRule rule, const Tensor& tensor, std::string_view what);
/// The same for one block: the text names it.
Violation BrokenRule(AllocationRule rule, const Tensor& tensor, std::span<const std::int64_t> block,
                     std::string_view what);

}  // namespace spillway::nki
