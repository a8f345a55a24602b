// Accesses as a replay names them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "model/alloc/task/program.h"

namespace spillway::task {

/// All accesses of one kind that an actor makes through a resource.
struct PlayedClass {
  Actor actor;
  AccessKind access = AccessKind::kRead;
  ResourceId resource;
  friend auto operator<=>(const PlayedClass&, const PlayedClass&) = default;
};

/// One access that was played.
struct PlayedAccess {
  PlayedClass what;
  std::int64_t occurrence = 0;  ///< of its class, in program order, from 0
  std::uint32_t step = 0;       ///< index into Program::steps of the actor's task
  friend auto operator<=>(const PlayedAccess&, const PlayedAccess&) = default;
};

/// {"Reader", "use", "vec"}: what findings are sorted by.
std::array<std::string, 3> PlayedNames(const PipelineSystem& system, const PlayedClass& what);
/// "Reader use vec #0".
std::string PlayedText(const PipelineSystem& system, const PlayedAccess& access);
/// What it touches. `access` is one of `program`.
std::span<const Footprint> PlayedFootprints(const Program& program, const PlayedAccess& access);

/// Whether the two conflict where they share memory: different actors, or two transfers of one
/// actor; at least one isn't a read. Source: ts_pipelines.md §8, Conflict.
bool PlayedConflict(const PlayedAccess& a, const PlayedAccess& b);

}  // namespace spillway::task
