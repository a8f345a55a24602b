// A system of task pipelines, laid out and unrolled.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/program.h"
#include "model/alloc/task/unroll.h"
#include "traces/pipeline_reader.h"

namespace spillway::task {

struct PreparedSystem {
  PipelineSystem system;
  SystemLayout layout;
  Program program;
};

/// Throws where `system` has no layout or doesn't unroll.
inline PreparedSystem Prepare(PipelineSystem system) {
  Result<SystemLayout> layout = LayOutSystem(system);
  if (!layout) throw std::runtime_error(layout.error().ToString());
  Result<Program> program = Unroll(system, *layout);
  if (!program) throw std::runtime_error(program.error().ToString());
  return {std::move(system), std::move(*layout), std::move(*program)};
}

inline PreparedSystem Prepare(const std::string& text) {
  Result<PipelineSystem> system = ParsePipeline(text, "test");
  if (!system) throw std::runtime_error(system.error().ToString());
  return Prepare(std::move(*system));
}

}  // namespace spillway::task
