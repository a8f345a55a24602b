#include "sim/tool/judge_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "model/alloc/baseline/find_allocator.h"

namespace spillway {
namespace {

std::string AllNames() {
  std::string names;
  for (const JudgeId judge : NamedJudges()) {
    names += (names.empty() ? "" : ", ") + std::string(JudgeName(judge));
  }
  return names;
}

std::optional<JudgeId> FindJudge(std::string_view name) {
  for (const JudgeId judge : NamedJudges()) {
    if (JudgeName(judge) == name) return judge;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<JudgeId>> ParseJudges(std::string_view names) {
  std::vector<JudgeId> asked;
  if (names == "all") return AllJudges();
  if (names == "static") {
    for (const JudgeId judge : AllJudges()) {
      if (IsStatic(judge)) asked.push_back(judge);
    }
    return asked;
  }
  while (true) {
    const std::size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    const std::optional<JudgeId> judge = FindJudge(name);
    if (!judge) {
      return Fail({Kind::kUnknownName, "unknown-judge",
                   fmt::format("no judge is named '{}'; expected all, static, or some of: {}", name,
                               AllNames()),
                   "", 0});
    }
    asked.push_back(*judge);
    if (comma == std::string_view::npos) break;
    names.remove_prefix(comma + 1);
  }
  std::vector<JudgeId> ordered;
  for (const JudgeId judge : NamedJudges()) {
    if (std::find(asked.begin(), asked.end(), judge) != asked.end()) ordered.push_back(judge);
  }
  return ordered;
}

double AllocatorSecondsOf(const ToolOptions& options) {
  return options.allocator.starts_with("external:") ? options.allocator_limits.seconds : 0;
}

AllocateFunction AllocateFunctionFor(const ToolOptions& options) {
  Result<std::unique_ptr<Allocator>> found =
      FindAllocator(options.allocator, options.allocator_limits);
  SPILLWAY_CHECK(found.has_value(), "the command line was checked");
  const std::shared_ptr<Allocator> allocator = std::move(*found);
  return [allocator](const Kernel& kernel, const Target& target, const Hwm& hwm,
                     const AllocateOptions& limits) {
    return allocator->Allocate(kernel, target, hwm, limits);
  };
}

}  // namespace spillway
