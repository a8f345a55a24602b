// Pipeline files, version 1: from JSON to a system of task pipelines, or to the reason why not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"

namespace spillway {

/// Bytes of a pipeline file. Source: ts_pipelines.md §15.
inline constexpr std::size_t kMaxPipelineFileBytes = std::size_t{16} << 20;

/// The system in "<system>.pipeline.json". It is whole: names resolve, regions lie inside their
/// allocations, its memory has a layout within its capacity, and its tasks unroll.
/// Errors: syntax, version, unknown-name, duplicate-name, limit, region.stages, region.range; those
/// of `LayOutSystem` and `Unroll`; file-not-opened and file-unreadable. With file and, where the
/// fault has one place, its line; the message names key or object, expected and found.
/// Source: ts_pipelines.md §11.
Result<task::PipelineSystem> ReadPipelineFile(const std::string& path);

/// The same from memory; `file_name` is for messages and isn't compared with the system's name.
Result<task::PipelineSystem> ParsePipeline(std::string_view text, const std::string& file_name);

}  // namespace spillway
