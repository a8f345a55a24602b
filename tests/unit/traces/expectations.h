// What the expected.json files of traces/ hold.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "traces/json_value.h"

namespace spillway {

inline std::string TracesFolder() { return std::string(SPILLWAY_SOURCE_DIR) + "/traces"; }

inline std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("can't open " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct InvalidFile {
  std::string file;
  std::string code;
  std::string kind;
  std::int64_t line = 0;
  std::vector<std::string> mentions;  ///< parts of the message: key, expected, found
};

inline std::vector<InvalidFile> InvalidFiles() {
  std::string text = ReadText(TracesFolder() + "/invalid/expected.json");
  const Result<JsonValue> root = ParseJsonLine(text);
  if (!root) throw std::runtime_error(root.error().ToString());
  std::vector<InvalidFile> files;
  for (const JsonValue& item : root->items) {
    InvalidFile file{std::string(item.key),
                     std::string(FindMember(item, "code")->text),
                     std::string(FindMember(item, "kind")->text),
                     FindMember(item, "line")->integer,
                     {}};
    for (const JsonValue& part : FindMember(item, "mentions")->items)
      file.mentions.emplace_back(part.text);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace spillway
