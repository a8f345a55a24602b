#include "sim/task/compare_layouts.h"

#include "sim/task/give_own_memory.h"

namespace spillway::task {

Result<std::vector<PlayedAccess>> ReadsThatAliasingChanges(const PipelineSystem& system,
                                                           const Program& program,
                                                           const Target& target) {
  const Program own = GiveOwnMemory(system, program);
  const Result<ReplayProgram> together = ReplayProgram::Prepare(system, program, target);
  if (!together) return Fail(together.error());
  const Result<ReplayProgram> apart = ReplayProgram::Prepare(system, own, target);
  if (!apart) return Fail(apart.error());
  const std::vector<std::uint64_t> seen = together->Run().seen;
  const std::vector<std::uint64_t> expected = apart->Run().seen;
  std::vector<PlayedAccess> changed;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != expected[i]) changed.push_back(together->details()[i].access);
  }
  return changed;
}

}  // namespace spillway::task
