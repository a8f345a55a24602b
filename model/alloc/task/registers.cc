#include "model/alloc/task/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

constexpr std::int64_t kMaxWarps = 1 << 16;

Error Refused(std::string text) { return MakeError(Code::kRegisters, std::move(text)); }

}  // namespace

std::int64_t DefaultRegisters(std::int64_t warps) {
  const GpuRules& rules = TheGpuRules();
  SPILLWAY_CHECK(warps >= 1 && warps <= kMaxWarps, "warps are checked before");
  const std::int64_t threads = rules.warp_threads.value * RoundUp(warps, rules.warp_group.value);
  const std::int64_t granule = rules.register_granule.value;
  const std::int64_t share = rules.registers.value / threads / granule * granule;
  return std::min(rules.thread_registers.value, share);
}

Result<void> CheckRegisters(std::span<const TaskRegisters> tasks) {
  const GpuRules& rules = TheGpuRules();
  std::int64_t all_warps = 0;
  for (const TaskRegisters& task : tasks) {
    if (task.warps < 1 || task.warps > kMaxWarps || task.first_warp < 0 ||
        task.first_warp > kMaxWarps) {
      return Fail(Refused(fmt::format("task {}: expected 1 to {} warps, found {} from warp {}",
                                      task.task, kMaxWarps, task.warps, task.first_warp)));
    }
    all_warps += task.warps;
  }
  if (all_warps == 0) return {};
  if (all_warps > kMaxWarps)
    return Fail(Refused(fmt::format("expected at most {} warps, found {}", kMaxWarps, all_warps)));
  const std::int64_t usual = DefaultRegisters(all_warps);
  std::int64_t sum = 0;
  std::map<std::int64_t, const TaskRegisters*> first_of_group;
  for (const TaskRegisters& task : tasks) {
    const std::int64_t registers = task.registers.value_or(usual);
    if (registers < 1 || registers > rules.thread_registers.value) {
      return Fail(Refused(fmt::format("task {}: expected 1 to {} registers of a thread, found {}",
                                      task.task, rules.thread_registers.value, registers)));
    }
    sum += registers * task.warps * rules.warp_threads.value;
    for (std::int64_t warp = task.first_warp; warp < task.first_warp + task.warps; ++warp) {
      const auto [other, is_first] = first_of_group.emplace(warp / rules.warp_group.value, &task);
      if (is_first || other->second->registers.value_or(usual) == registers) continue;
      return Fail(Refused(
          fmt::format("task {}: expected the {} registers of task {}, whose warps are of the same "
                      "group of {}, found {}",
                      task.task, other->second->registers.value_or(usual), other->second->task,
                      rules.warp_group.value, registers)));
    }
  }
  if (sum <= rules.registers.value) return {};
  return Fail(
      Refused(fmt::format("expected at most {} registers of all tasks, found {}; fewer for "
                          "each thread need less",
                          rules.registers.value, sum)));
}

}  // namespace spillway::task
