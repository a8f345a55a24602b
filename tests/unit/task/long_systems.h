// Texts of pipeline files with many names.
#pragma once

#include <functional>
#include <string>

namespace spillway::task {

/// Items 0 to count - 1, separated by commas.
inline std::string Listed(int count, const std::function<std::string(const std::string&)>& item) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + item(std::to_string(i));
  return text;
}
inline std::string Names(int count, const std::string& prefix) {
  return Listed(count, [&](const std::string& i) { return "\"" + prefix + i + "\""; });
}

/// Resources r0, r1, … without memory, pipelines p0, p1, … of threads.
inline std::string SystemText(int resources, int pipelines, const std::string& tasks) {
  return R"({"system": "s", "version": 1, "barriers": "none", "pipelines": [)" +
         Listed(pipelines,
                [](const std::string& i) {
                  return R"({"name": "p)" + i +
                         R"(", "stages": 1, "producer": "thread", "consumer": "thread"})";
                }) +
         R"(], "resources": [)" +
         Listed(
             resources,
             [](const std::string& i) { return R"({"name": "r)" + i + R"(", "regions": []})"; }) +
         R"(], "tasks": [)" + tasks + "]}";
}
inline std::string TaskText(const std::string& name, const std::string& operations) {
  return R"({"name": ")" + name + R"(", "ops": [)" + operations + "]}";
}
inline std::string LoopText(int trips, const std::string& operations) {
  return R"({"loop": )" + std::to_string(trips) + R"(, "ops": [)" + operations + "]}";
}

}  // namespace spillway::task
