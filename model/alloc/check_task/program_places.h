// Where each step and each part of a fill or drain stands among the events of its task.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/task/program.h"

namespace spillway::task {

/// A part of a fill or drain.
struct PartPlace {
  std::uint32_t event = 0;  ///< the task's events in program order after which it has happened
  SideKind completion = SideKind::kThread;
  std::uint32_t matrix = 0;    ///< matrix work issued before it
  std::uint32_t transfer = 0;  ///< the transfer's number
};

struct TaskPlaces {
  std::vector<std::uint32_t> first_event;    ///< of each step, in program order
  std::vector<std::uint32_t> step_of_event;  ///< by event in program order
  std::vector<std::uint32_t> matrix_steps;
  std::vector<std::uint32_t> transfer_steps;
  std::vector<std::uint32_t> matrix_before;    ///< matrix work in the steps before each step
  std::vector<std::uint32_t> transfer_before;  ///< transfers in the steps before each step
};

struct ProgramPlaces {
  IdVector<TaskId, TaskPlaces> tasks;
  /// [pipeline]: of each contributor its parts by number, parallel to the contributors.
  IdVector<PipelineId, std::vector<std::vector<PartPlace>>> fills;
  IdVector<PipelineId, std::vector<std::vector<PartPlace>>> drains;
};

/// Time and memory: linear in the steps and parts.
ProgramPlaces PlacesOf(const Program& program);

}  // namespace spillway::task
