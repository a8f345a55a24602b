// Accesses as reports name them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "model/alloc/task/program.h"

namespace spillway::task {

/// All accesses of one kind that an actor makes through a resource.
struct AccessClass {
  Actor actor;
  AccessKind access = AccessKind::kRead;
  ResourceId resource;

  friend auto operator<=>(const AccessClass&, const AccessClass&) = default;
};

/// One access of the program.
struct AccessPoint {
  AccessClass what;
  std::int64_t occurrence = 0;  ///< in program order, from 0
  std::uint32_t step = 0;       ///< index into Program::steps of the actor's task
  std::uint32_t slot = 0;       ///< index into Program::footprints of the resource

  friend auto operator<=>(const AccessPoint&, const AccessPoint&) = default;
};

/// {"Reader", "use", "vec"}: what reports are sorted by.
std::array<std::string, 3> NamesOf(const PipelineSystem& system, const AccessClass& what);
/// "Reader use vec".
std::string TextOf(const PipelineSystem& system, const AccessClass& what);
/// "Reader use vec #0".
std::string TextOf(const PipelineSystem& system, const AccessPoint& point);

}  // namespace spillway::task
