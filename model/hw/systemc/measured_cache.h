// Measured tables in a file, so that a process needn't measure what another one has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "model/hw/systemc/measured_tables.h"

namespace spillway {

/// Grows whenever the probes change what they measure.
inline constexpr std::int64_t kProbeVersion = 1;

/// $SPILLWAY_CACHE_DIR, else $XDG_CACHE_HOME/spillway, else $HOME/.cache/spillway; empty where
/// none is set.
std::filesystem::path DefaultCacheDirectory();

/// Over all that the measurement follows from: every row of the target and of the cost table, the
/// version of the probes, and what a dozen of them give on this machine, so that a changed rule of
/// time is noticed without anybody's help.
std::uint64_t MeasurementHash(const Target& target);

/// "oracle-<target>-<hash>.bin" in `directory`.
std::filesystem::path CacheFile(const std::filesystem::path& directory, const Target& target);

/// The tables of a file that StoreTables wrote for the same hash; nothing where there is none, or
/// it is damaged or somebody else's.
std::optional<MeasuredTables> LoadTables(const std::filesystem::path& file, const Target& target);

/// Writes the file in one step, so that another process never reads half of it. False where the
/// directory can't be written: a cache that isn't there costs time, nothing else.
bool StoreTables(const std::filesystem::path& file, const Target& target,
                 const MeasuredTables& tables);

}  // namespace spillway
