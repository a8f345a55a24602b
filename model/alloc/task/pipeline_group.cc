#include "model/alloc/task/pipeline_group.h"

#include "model/alloc/task/named_words.h"

namespace spillway::task {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"merge", "fork", "fused-merge"};

}  // namespace

std::string_view GroupModeName(GroupMode mode) { return WordOf(kModes, mode); }

}  // namespace spillway::task
