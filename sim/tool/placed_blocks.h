// The blocks of a finished run: where they lie, from when to when, and what they are for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/placement.h"
#include "model/hw/interval.h"
#include "sim/tool/pipeline.h"

namespace spillway {

enum class BlockKind {
  kOrdinary,     ///< placed by the allocator
  kWorkingCopy,  ///< what a reload writes or a save reads
  kFixed,        ///< placed by the kernel's author
};
inline constexpr int kBlockKindCount = 3;

/// One on-chip block with its place.
struct PlacedBlock {
  TensorId tensor;
  std::int64_t block = 0;  ///< row-major
  Space space = Space::kSbuf;
  BlockKind kind = BlockKind::kOrdinary;
  Rectangle where;
  Interval<PointId> life;  ///< of its tensor, in points of the allocated function
  /// From the start of the first instance that touches the block to the end of the last; nothing
  /// without a simulation or if none did.
  std::optional<Interval<Picoseconds>> time;
  std::optional<InstanceId> first_writer;
};

/// All placed SBUF and PSUM blocks whose tensor is accessed, by tensor id and block; empty without
/// an allocation. Places that reach below partition 0 or byte 0 are left out.
std::vector<PlacedBlock> PlacedBlocks(const KernelRun& run);

/// "q_sb.3", or "q_sb.3[2]" for a tensor with blocks.
std::string BlockName(const Kernel& kernel, const PlacedBlock& block);

/// Points of the allocated function; 0 without one.
std::int64_t PointCount(const KernelRun& run);

/// Times of instance `id` where it finished.
std::optional<Interval<Picoseconds>> TimesOf(const SimReport& simulation, InstanceId id);

/// The instruction that an instance of the simulation executes.
const Instruction& InstructionOf(const KernelRun& run, InstanceId id);

}  // namespace spillway
