// Pipelines that share the barrier of one side.
#pragma once

#include <string_view>

#include "model/hw/units.h"

namespace spillway::task {

/// Merge: N producers, one consumer, one release for all. Fork: one producer with one commit for
/// all, N consumers. FusedMerge: the members commit onto one barrier, one wait, one release.
/// Source: ts_pipelines.md §7, Groups.
enum class GroupMode { kMerge, kFork, kFusedMerge };
std::string_view GroupModeName(GroupMode mode);

}  // namespace spillway::task
