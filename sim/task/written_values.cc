#include "sim/task/written_values.h"

#include "sim/values/hash.h"

namespace spillway::task {
namespace {

std::uint64_t Chain(std::uint64_t before, std::uint64_t next) {
  return Mix(before * kCounterStep + Mix(next + kCounterStep));
}

}  // namespace

WrittenValues::WrittenValues(const Program& program)
    : program_(program), values_(program.accesses.size(), 0) {
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    of_task_.push_back(Mix(2 * t + 1));
    of_matrix_.push_back(Mix(2 * t + 2));
  }
}

void WrittenValues::Begin(TaskId task, std::uint32_t step) {
  const OperationKind kind = program_.steps[task][step].kind;
  if (kind == OperationKind::kDma || kind == OperationKind::kMatrix)
    at_issue_[{task, step}] = of_task_[task];
}

void WrittenValues::End(TaskId task, std::uint32_t step, const std::vector<std::uint64_t>& seen) {
  const Step& its = program_.steps[task][step];
  std::uint64_t hash = of_task_[task];
  if (its.kind != OperationKind::kAccess) {
    const auto issue = at_issue_.extract({task, step});
    hash = issue.mapped();
    if (its.kind == OperationKind::kMatrix) hash = Chain(of_matrix_[task], hash);
  }
  for (std::uint32_t i = 0; i < its.access_count; ++i) {
    const std::uint32_t index = its.first_access + i;
    if (program_.accesses[index].kind == AccessKind::kRead) hash = Chain(hash, seen[index]);
  }
  for (std::uint32_t i = 0; i < its.access_count; ++i) {
    const std::uint32_t index = its.first_access + i;
    const StepAccess& access = program_.accesses[index];
    if (access.kind == AccessKind::kRead) continue;
    values_[index] = Chain(Chain(hash, access.resource.value + 1),
                           static_cast<std::uint64_t>(access.occurrence));
  }
  if (its.kind == OperationKind::kAccess) of_task_[task] = hash;
  if (its.kind == OperationKind::kMatrix) of_matrix_[task] = hash;
}

}  // namespace spillway::task
