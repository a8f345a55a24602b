#include "sim/tool/write_artifacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "sim/exec/timeline.h"
#include "sim/tool/csv_tables.h"

namespace spillway {
namespace {

std::string StemOf(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view suffix : {".zst", ".jsonl", ".kernel"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix))
      name.resize(name.size() - suffix.size());
  }
  return name.empty() || name == "." || name == ".." ? "kernel" : name;
}

// Empty where there is only one file.
std::string NameOf(const KernelRun& run, const ToolOptions& options) {
  if (options.files.size() < 2) return "";
  const auto found = std::find(options.files.begin(), options.files.end(), run.report.file);
  if (found == options.files.end()) return StemOf(run.report.file);
  return ArtifactNames(options.files)[static_cast<std::size_t>(found - options.files.begin())];
}

std::string TimelinePath(const std::string& path, const std::string& name) {
  if (name.empty()) return path;
  const std::filesystem::path whole(path);
  const std::string file = whole.stem().string() + "." + name + whole.extension().string();
  return (whole.parent_path() / file).string();
}

}  // namespace

std::vector<std::string> ArtifactNames(const std::vector<std::string>& files) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const std::string& file : files) {
    const std::string stem = StemOf(file);
    std::string name = stem;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}-{}", stem, n);
    names.push_back(name);
  }
  return names;
}

Result<void> WriteArtifacts(const KernelRun& run, const ToolOptions& options) {
  const std::string name = NameOf(run, options);
  if (!options.timeline.empty() && run.simulation && run.allocation) {
    const Result<void> written = WriteTimelineFile(TimelinePath(options.timeline, name),
                                                   run.allocation->kernel, *run.simulation);
    if (!written) return written;
  }
  if (!options.tables.empty())
    return WriteTables(run, (std::filesystem::path(options.tables) / name).string());
  return {};
}

}  // namespace spillway
