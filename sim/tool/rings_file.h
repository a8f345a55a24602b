// A derived system of pipelines as a file that the reader takes.
#pragma once

#include <string>

#include "model/alloc/task/pipeline_system.h"
#include "model/hw/error.h"

namespace spillway {

/// The text of `path`, "<name>.pipeline.json": `system` under that name. A semaphore with more
/// tokens than a file's pipelines have stages gets as many as they may have, where the checks say
/// the same of both systems.
/// Errors: kLimit ("ring-not-a-file") for a path of another ending and for what a file can't hold
/// without another verdict, with the reader's reason.
/// Source: ts_pipelines.md §11 and §15.
Result<std::string> PipelineFileOf(task::PipelineSystem system, const std::string& path);

}  // namespace spillway
