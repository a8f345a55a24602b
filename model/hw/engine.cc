#include "model/hw/engine.h"

#include <array>

namespace spillway {
namespace {

constexpr std::array<std::string_view, 3> kSpaces = {"dram", "sbuf", "psum"};
constexpr std::array<std::string_view, kEngineCount> kEngines = {"pe",  "act", "pool",
                                                                 "dve", "sp",  "dma"};

}  // namespace

std::string_view SpaceName(Space space) { return kSpaces[static_cast<std::size_t>(space)]; }

std::optional<Space> ParseSpace(std::string_view name) {
  for (std::size_t i = 0; i < kSpaces.size(); ++i) {
    if (kSpaces[i] == name) return static_cast<Space>(i);
  }
  return std::nullopt;
}

std::string_view EngineName(Engine engine) { return kEngines[static_cast<std::size_t>(engine)]; }

std::optional<Engine> ParseEngine(std::string_view name) {
  for (std::size_t i = 0; i < kEngines.size(); ++i) {
    if (kEngines[i] == name) return static_cast<Engine>(i);
  }
  return std::nullopt;
}

bool CanRead(Engine engine, Space space) {
  switch (engine) {
    case Engine::kPe: return space == Space::kSbuf;
    case Engine::kAct:
    case Engine::kDve: return space != Space::kDram;
    case Engine::kPool: return space == Space::kSbuf;
    case Engine::kSp: return false;
    case Engine::kDma: return space != Space::kPsum;
  }
  return false;
}

bool CanWrite(Engine engine, Space space) {
  if (engine == Engine::kPe) return space == Space::kPsum;
  return CanRead(engine, space);
}

}  // namespace spillway
