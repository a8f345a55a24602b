// Lists in the text of pipeline files.
#pragma once

#include <fmt/format.h>

#include <string>

namespace spillway::task {

/// `form` with each number below `count`, separated by commas: "{{"name": "r{}"}}".
inline std::string Numbered(int count, const std::string& form) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + fmt::format(fmt::runtime(form), i);
  return text;
}

}  // namespace spillway::task
