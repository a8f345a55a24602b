#include "model/alloc/task/memory_space.h"

#include "model/alloc/task/named_words.h"

namespace spillway::task {
namespace {

constexpr std::array<std::string_view, kMemorySpaceCount> kNames = {"smem", "tmem", "sbuf", "psum"};

}  // namespace

std::string_view MemorySpaceName(MemorySpace space) { return WordOf(kNames, space); }

std::optional<MemorySpace> ParseMemorySpace(std::string_view name) {
  return FindWord<MemorySpace>(kNames, name);
}

std::string_view UnitName(MemorySpace space) {
  return space == MemorySpace::kTmem ? "columns" : "B";
}

}  // namespace spillway::task
