#include "sim/tool/rings_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "traces/pipeline_reader.h"
#include "traces/pipeline_writer.h"

namespace spillway {
namespace {

constexpr std::string_view kEnding = ".pipeline.json";
constexpr std::int64_t kMaxStages = 64;  // of the format: ts_pipelines.md §15

Error NotAFile(const std::string& why) { return {Kind::kLimit, "ring-not-a-file", why, "", 0}; }

Result<task::Verdict> Judge(const task::PipelineSystem& system) {
  const Result<task::SystemLayout> layout = task::LayOutSystem(system);
  if (!layout) return Fail(layout.error());
  const Result<task::Program> program = task::Unroll(system, *layout);
  if (!program) return Fail(program.error());
  return task::CheckSystem(system, *program);
}

bool SaySame(const task::Verdict& a, const task::Verdict& b) {
  return a.blocked == b.blocked && a.races == b.races && a.clobbers == b.clobbers &&
         a.uninitialized == b.uninitialized && a.structure == b.structure;
}

/// The pipelines that have memory.
std::set<task::PipelineId> Rings(const task::PipelineSystem& system) {
  std::set<task::PipelineId> rings;
  for (const task::Resource& resource : system.resources) {
    if (resource.pipeline) rings.insert(*resource.pipeline);
  }
  return rings;
}

}  // namespace

Result<std::string> PipelineFileOf(task::PipelineSystem system, const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (!name.ends_with(kEnding) || name.size() == kEnding.size()) {
    return Fail(NotAFile(fmt::format("{}: expected a name that ends in {}", path, kEnding)));
  }
  system.name = name.substr(0, name.size() - kEnding.size());
  const std::set<task::PipelineId> rings = Rings(system);
  task::PipelineSystem shorter = system;
  bool is_shorter = false;
  for (std::size_t p = 0; p < shorter.pipelines.size(); ++p) {
    task::Pipeline& pipeline = shorter.pipelines[task::PipelineId(p)];
    if (rings.contains(task::PipelineId(p)) || pipeline.stages <= kMaxStages) continue;
    pipeline.stages = kMaxStages;
    is_shorter = true;
  }
  if (is_shorter) {
    const Result<task::Verdict> before = Judge(system);
    if (!before) return Fail(before.error());
    const Result<task::Verdict> after = Judge(shorter);
    if (!after) return Fail(after.error());
    if (!SaySame(*before, *after)) {
      return Fail(NotAFile(fmt::format(
          "{}: expected semaphores of at most {} tokens in flight, found one of which more matter; "
          "fewer trips give a system that a file can hold",
          path, kMaxStages)));
    }
  }
  std::string text = PrintPipelineFile(shorter);
  if (const Result<task::PipelineSystem> read = ParsePipeline(text, path); !read) {
    return Fail(
        NotAFile(fmt::format("{}: expected a system that a pipeline file can hold, found: "
                             "{}",
                             path, read.error().message)));
  }
  return text;
}

}  // namespace spillway
