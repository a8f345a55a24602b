// The pipeline files of traces/ and what is expected of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "traces/json_value.h"

namespace spillway {

inline std::string PipelinesFolder() {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/pipelines";
}
inline std::string InvalidPipelinesFolder() {
  return std::string(SPILLWAY_SOURCE_DIR) + "/traces/invalid_pipelines";
}

inline std::string TextOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("can't open " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A JSON text with what its values point into.
struct ExpectedJson {
  std::string text;
  JsonValue root;

  explicit ExpectedJson(const std::string& path) : text(TextOf(path)) {
    Result<JsonValue> parsed = ParseJsonLine(text);
    if (!parsed) throw std::runtime_error(parsed.error().ToString());
    root = std::move(*parsed);
  }
};

/// Names of the systems in traces/pipelines, sorted.
inline std::vector<std::string> PipelineNamesOnDisk() {
  constexpr std::string_view kEnding = ".pipeline.json";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(PipelinesFolder())) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding)) names.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::string PipelinePath(const std::string& name) {
  return PipelinesFolder() + "/" + name + ".pipeline.json";
}

}  // namespace spillway
