#include "model/alloc/check_task/access_point.h"

#include <fmt/format.h>

namespace spillway::task {

std::array<std::string, 3> NamesOf(const PipelineSystem& system, const AccessClass& what) {
  return {ActorName(system, what.actor), std::string(AccessKindName(what.access)),
          system.resources[what.resource].name};
}

std::string TextOf(const PipelineSystem& system, const AccessClass& what) {
  const auto [actor, access, resource] = NamesOf(system, what);
  return fmt::format("{} {} {}", actor, access, resource);
}

std::string TextOf(const PipelineSystem& system, const AccessPoint& point) {
  return fmt::format("{} #{}", TextOf(system, point.what), point.occurrence);
}

}  // namespace spillway::task
