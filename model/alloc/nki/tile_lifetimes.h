// Follows which tile the bytes of SBUF and PSUM hold while a placed kernel runs.
#pragma once

#include <optional>
#include <vector>

#include "model/alloc/ir/placement.h"
#include "model/alloc/nki/tile_use.h"
#include "model/hw/interval.h"

namespace spillway::nki {

enum class TileFaultKind {
  kTooFewTiles,  ///< a block's bytes went to another block of its tensor before its last read
  kOverlap,      ///< a block's bytes went to another tensor before its last read
  kUnloaded,     ///< a read of bytes of a block that no earlier write filled
};

/// A read that sees other bytes than its block's.
struct TileFault {
  TileFaultKind kind = TileFaultKind::kOverlap;
  TileUse read;
  /// What filled the block's bytes; nothing where nothing did (kUnloaded), for what holds its value
  /// from the start, and where one instruction reads a tile and writes another on top of it.
  std::optional<TileUse> written;
  /// The write that put another block there. kUnloaded: whose bytes are read instead, if anybody's.
  std::optional<TileUse> clobber;
  std::optional<TileUse> too_late;  ///< kUnloaded: the first write of these bytes, after the read
  Space space = Space::kSbuf;
  Rectangle where;         ///< partitions and bytes of the memory
  std::int64_t count = 1;  ///< instances of the same read that see the like
};

struct TileLifetimes {
  /// One a kind, read, clobbering write and pair of tensors, with its first instance; in the order
  /// in which they are met.
  std::vector<TileFault> faults;
  std::int64_t reads = 0;  ///< of tiles, that were looked at
  bool complete = true;    ///< false: the walk gave up after `max_steps`
};

/// Runs the kernel's accesses to placed SBUF and PSUM tensors in program order, loops with their
/// values, and looks at every byte that is read: exact to the byte, the iteration and the
/// predicate. Where only a hull is known (patterns of more than 4,096 runs, indirect operands), all
/// of it counts as touched, and no read of it as unloaded. A save of spill code moves bytes and
/// reads none. A dynamic loop runs to its bound. Two blocks that one instruction reads and writes
/// on the same bytes are a fault, since it writes while it reads.
///
/// It sees the order of the program alone: what engines reorder is the races check's.
/// Source: nki_surface.md (lifetime checks), isa_costs.md 4.2.
TileLifetimes FindTileFaults(const Kernel& kernel, const Placement& placement,
                             std::int64_t max_steps = kMaxTileSteps);

/// Whether every block of the on-chip tensor has an address that can be computed with: at most
/// 2^40, and not negative.
bool IsPlacedOnChip(const Kernel& kernel, const Placement& placement, TensorId tensor);

}  // namespace spillway::nki
