#include "sim/task/played_access.h"

#include <fmt/format.h>

#include "model/hw/error.h"

namespace spillway::task {

std::array<std::string, 3> PlayedNames(const PipelineSystem& system, const PlayedClass& what) {
  return {ActorName(system, what.actor), std::string(AccessKindName(what.access)),
          system.resources[what.resource].name};
}

std::string PlayedText(const PipelineSystem& system, const PlayedAccess& access) {
  const auto [actor, kind, resource] = PlayedNames(system, access.what);
  return fmt::format("{} {} {} #{}", actor, kind, resource, access.occurrence);
}

std::span<const Footprint> PlayedFootprints(const Program& program, const PlayedAccess& access) {
  const Step& step = program.steps[access.what.actor.task][access.step];
  for (const StepAccess& its : program.AccessesOf(step)) {
    if (its.kind == access.what.access && its.resource == access.what.resource &&
        its.occurrence == access.occurrence)
      return program.FootprintsOf(its);
  }
  SPILLWAY_CHECK(false, "an access that was seen is one of the program");
  return program.footprints[access.what.resource].front();
}

bool PlayedConflict(const PlayedAccess& a, const PlayedAccess& b) {
  if (a.what.access == AccessKind::kRead && b.what.access == AccessKind::kRead) return false;
  if (a.what.actor != b.what.actor) return true;
  return a.what.actor.kind == SideKind::kDma && a.step != b.step;
}

}  // namespace spillway::task
