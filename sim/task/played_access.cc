#include "sim/task/played_access.h"

#include <fmt/format.h>

namespace spillway::task {

std::array<std::string, 3> PlayedNames(const PipelineSystem& system, const PlayedClass& what) {
  return {ActorName(system, what.actor), std::string(AccessKindName(what.access)),
          system.resources[what.resource].name};
}

std::string PlayedText(const PipelineSystem& system, const PlayedAccess& access) {
  const auto [actor, kind, resource] = PlayedNames(system, access.what);
  return fmt::format("{} {} {} #{}", actor, kind, resource, access.occurrence);
}

bool PlayedConflict(const PlayedAccess& a, const PlayedAccess& b) {
  if (a.what.access == AccessKind::kRead && b.what.access == AccessKind::kRead) return false;
  if (a.what.actor != b.what.actor) return true;
  return a.what.actor.kind == SideKind::kDma && a.step != b.step;
}

}  // namespace spillway::task
