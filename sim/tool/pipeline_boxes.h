// What a memory of a pipeline system holds, as boxes that pictures and tables show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/tool/pipeline_report.h"

namespace spillway {

enum class MemoryBoxKind {
  kPlaced,    ///< by the layout, for itself
  kAliased,   ///< by the layout, in a phase of an alias group
  kFixed,     ///< by the author
  kBarriers,  ///< storage of barriers
};

/// An allocation or barrier storage of one space, in its units.
struct MemoryBox {
  std::string name;
  MemoryBoxKind kind = MemoryBoxKind::kPlaced;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::optional<std::int64_t> alignment;  ///< nothing: barrier storage
  Interval<Partition> partitions;         ///< lanes of TMEM; [0, 1) of SMEM
  std::size_t group = 0;                  ///< index of its alias group
  std::size_t phase = 0;                  ///< of its alias group
  std::size_t phases = 1;                 ///< that its alias group has
  std::vector<std::int64_t> cuts;         ///< where stages of it begin, ascending
  std::vector<std::string> resources;     ///< that lie in it

  std::int64_t size() const { return end - begin; }
};

/// The boxes of `space` by offset; those of one offset in file order, barriers last. Empty where
/// there is no layout. Shape: begin < end.
std::vector<MemoryBox> MemoryBoxes(const PipelineReport& report, task::MemorySpace space);

/// Units that alias groups save: what all `boxes` would take less the `total` that they take. 0
/// where there is no group.
std::int64_t SavedUnits(const std::vector<MemoryBox>& boxes, std::int64_t total);

}  // namespace spillway
