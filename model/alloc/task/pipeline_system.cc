#include "model/alloc/task/pipeline_system.h"

#include "model/alloc/task/named_words.h"

namespace spillway::task {
namespace {

constexpr std::array<std::string_view, 3> kSideKinds = {"thread", "dma", "matrix"};
constexpr std::array<std::string_view, 2> kSides = {"producer", "consumer"};
constexpr std::array<std::string_view, 3> kAccessKinds = {"read", "write", "use"};
constexpr std::array<std::string_view, 8> kOperationKinds = {
    "acquire", "commit", "wait", "release", "access", "dma", "matrix", "loop"};
constexpr std::array<std::string_view, 3> kBarrierStorages = {"own", "coalesced", "none"};

}  // namespace

std::string_view SideKindName(SideKind kind) { return WordOf(kSideKinds, kind); }
std::optional<SideKind> ParseSideKind(std::string_view name) {
  return FindWord<SideKind>(kSideKinds, name);
}

std::string_view SideName(Side side) { return WordOf(kSides, side); }
std::optional<Side> ParseSide(std::string_view name) { return FindWord<Side>(kSides, name); }

std::string_view AccessKindName(AccessKind kind) { return WordOf(kAccessKinds, kind); }
std::string_view OperationKindName(OperationKind kind) { return WordOf(kOperationKinds, kind); }

std::string_view BarrierStorageName(BarrierStorage storage) {
  return WordOf(kBarrierStorages, storage);
}
std::optional<BarrierStorage> ParseBarrierStorage(std::string_view name) {
  return FindWord<BarrierStorage>(kBarrierStorages, name);
}

std::optional<SideKind> SideKinds::Of(TaskId task) const {
  if (by_task.empty()) return kind;
  for (const auto& [named, its_kind] : by_task) {
    if (named == task) return its_kind;
  }
  return std::nullopt;
}

std::string ActorName(const PipelineSystem& system, const Actor& actor) {
  const std::string& task = system.tasks[actor.task].name;
  if (actor.kind == SideKind::kThread) return task;
  return task + "." + std::string(SideKindName(actor.kind));
}

}  // namespace spillway::task
