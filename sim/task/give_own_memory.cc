#include "sim/task/give_own_memory.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace spillway::task {
namespace {

/// Resources that share data with each other, directly or through others: numbers of their groups.
std::vector<std::size_t> SharingGroups(const PipelineSystem& system) {
  std::vector<std::size_t> group(system.resources.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t r = 0; r < group.size(); ++r) {
    for (const ResourceId shared : system.resources[ResourceId(r)].shares) {
      const std::size_t from = group[shared.value];
      const std::size_t to = group[r];
      std::replace(group.begin(), group.end(), from, to);
    }
  }
  return group;
}

}  // namespace

Program GiveOwnMemory(const PipelineSystem& system, const Program& program) {
  Program own = program;
  const std::vector<std::size_t> group = SharingGroups(system);
  for (const MemorySpace space : kMemorySpaces) {
    // What each group covers, and how far it moves.
    constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> first(group.size(), kNowhere);
    std::vector<std::int64_t> last(group.size(), 0);
    const auto each = [&](auto& footprints, const auto& visit) {
      for (std::size_t r = 0; r < group.size(); ++r) {
        for (auto& slot : footprints[ResourceId(r)]) {
          for (auto& footprint : slot) {
            if (footprint.space == space) visit(group[r], footprint);
          }
        }
      }
    };
    each(program.footprints, [&](std::size_t g, const Footprint& footprint) {
      first[g] = std::min(first[g], footprint.range.begin.value);
      last[g] = std::max(last[g], footprint.range.end.value);
    });
    std::vector<Units> shift(group.size());
    std::int64_t cursor = 0;
    for (std::size_t g = 0; g < group.size(); ++g) {
      if (first[g] == kNowhere) continue;
      shift[g] = Units(cursor - first[g]);
      cursor += last[g] - first[g];
    }
    each(own.footprints, [&](std::size_t g, Footprint& footprint) {
      footprint.range = {footprint.range.begin + shift[g], footprint.range.end + shift[g]};
    });
  }
  return own;
}

}  // namespace spillway::task
