// Data that depends on what its writer has read.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/alloc/task/program.h"

namespace spillway::task {

/// Values of writes as chains of hashes. A task's writes depend on all that it has read itself; its
/// matrix unit's on what that has read, in the order of retiring, and on what the task had read
/// when it issued the work; a transfer's on its own reads and the latter. So a wrong byte reaches
/// everything that follows from it, and in a program without races no value depends on time.
class WrittenValues {
 public:
  explicit WrittenValues(const Program& program);

  /// The step begins or is issued.
  void Begin(TaskId task, std::uint32_t step);
  /// The step's reads saw `seen`; sets the values of its writes, both by index into
  /// Program::accesses.
  void End(TaskId task, std::uint32_t step, const std::vector<std::uint64_t>& seen);

  const std::vector<std::uint64_t>& values() const { return values_; }

 private:
  const Program& program_;
  IdVector<TaskId, std::uint64_t> of_task_;
  IdVector<TaskId, std::uint64_t> of_matrix_;
  std::map<std::pair<TaskId, std::uint32_t>, std::uint64_t> at_issue_;
  std::vector<std::uint64_t> values_;
};

}  // namespace spillway::task
