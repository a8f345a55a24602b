#include "model/alloc/task/program.h"

namespace spillway::task {

std::int64_t EventCount(const Program& program) {
  std::int64_t events = 0;
  for (const std::vector<Step>& steps : program.steps) {
    for (const Step& step : steps) events += EventCount(step.kind);
  }
  return events;
}

}  // namespace spillway::task
