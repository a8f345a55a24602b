// Pictures of what the memories of a pipeline system hold.
#pragma once

#include <cstddef>
#include <string>

#include "sim/tool/pipeline_boxes.h"

namespace spillway::html {

/// Map of one space: offsets up, a box an allocation or barrier storage; the phases of an alias
/// group and fixed boxes over one place stand side by side; lines where stages begin; what races
/// touch is marked at the right. Empty where nothing lies in the space.
std::string LayoutMap(const PipelineReport& report, task::MemorySpace space);

/// Map of partitions (of TMEM: lanes) by offsets, where a box doesn't reach all of them; else
/// empty.
std::string PartitionMap(const PipelineReport& report, task::MemorySpace space);

/// "race 3" of the verdict's races[2]: what marks and findings call it.
std::string RaceLabel(std::size_t index);

}  // namespace spillway::html
