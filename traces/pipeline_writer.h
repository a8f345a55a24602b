// Systems of task pipelines as files.
#pragma once

#include <string>

#include "model/alloc/task/pipeline_system.h"

namespace spillway {

/// The text of a pipeline file, version 1, which reads back as an equal system. Keys that say what
/// holds anyway are left out.
/// Source: ts_pipelines.md §11.
std::string PrintPipelineFile(const task::PipelineSystem& system);

}  // namespace spillway
