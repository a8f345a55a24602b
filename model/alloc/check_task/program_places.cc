#include "model/alloc/check_task/program_places.h"

#include <algorithm>

#include "model/hw/error.h"

namespace spillway::task {
namespace {

std::size_t IndexOf(const std::vector<TaskId>& tasks, TaskId task) {
  const auto at = std::find(tasks.begin(), tasks.end(), task);
  SPILLWAY_CHECK(at != tasks.end(), "who commits or releases is a contributor");
  return static_cast<std::size_t>(at - tasks.begin());
}

}  // namespace

ProgramPlaces PlacesOf(const Program& program) {
  ProgramPlaces all;
  all.tasks.resize(program.steps.size());
  for (const Contributors& contributors : program.contributors) {
    all.fills.push_back(std::vector<std::vector<PartPlace>>(contributors.fill.size()));
    all.drains.push_back(std::vector<std::vector<PartPlace>>(contributors.drain.size()));
  }
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    TaskPlaces& places = all.tasks[task];
    const std::vector<Step>& steps = program.steps[task];
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      places.first_event.push_back(static_cast<std::uint32_t>(places.step_of_event.size()));
      places.matrix_before.push_back(static_cast<std::uint32_t>(places.matrix_steps.size()));
      places.transfer_before.push_back(static_cast<std::uint32_t>(places.transfer_steps.size()));
      places.step_of_event.push_back(i);
      if (step.kind == OperationKind::kAccess) places.step_of_event.push_back(i);
      for (const SyncPart& part : program.PartsOf(step)) {
        const PartPlace place{static_cast<std::uint32_t>(places.step_of_event.size()),
                              part.completion, places.matrix_before.back(),
                              places.transfer_before.back()};
        const Contributors& contributors = program.contributors[part.pipeline];
        if (part.kind == OperationKind::kCommit)
          all.fills[part.pipeline][IndexOf(contributors.fill, task)].push_back(place);
        if (part.kind == OperationKind::kRelease)
          all.drains[part.pipeline][IndexOf(contributors.drain, task)].push_back(place);
      }
      if (step.kind == OperationKind::kMatrix) places.matrix_steps.push_back(i);
      if (step.kind == OperationKind::kDma) places.transfer_steps.push_back(i);
    }
  }
  return all;
}

}  // namespace spillway::task
