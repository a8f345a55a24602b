#include <fmt/format.h>

#include "tests/fuzz/harness.h"

namespace spillway {
namespace {

/// How a side of each kind fills or drains the ring `r`.
struct Side {
  const char* kind;
  const char* producer;
  const char* consumer;
};
const std::vector<Side> kSides = {
    {"thread", R"({"write": "r"}, {"commit": "r"})", R"({"read": "r"}, {"release": "r"})"},
    {"dma", R"({"dma": {"write": ["r"], "commit": ["r"]}})",
     R"({"dma": {"read": ["r"], "release": ["r"]}})"},
    {"matrix", R"({"matrix": {"write": ["r"]}}, {"commit": "r"})",
     R"({"matrix": {"read": ["r"]}}, {"release": "r"})"}};

/// One ring between two tasks; `over` lies on its bytes where it is aliased.
std::string Ring(const Side& from, const Side& to, int stages, bool aliased) {
  return fmt::format(
      R"({{"system": "s", "version": 1, "barriers": "{}",
"allocations": [{{"name": "r", "space": "smem", "size": {}}}, {{"name": "o", "space": "smem", "size": 16}}],
{}"pipelines": [{{"name": "r", "stages": {}, "producer": "{}", "consumer": "{}"}}],
"resources": [{{"name": "r", "regions": [{{"allocation": "r"}}], "pipeline": "r"}},
 {{"name": "o", "regions": [{{"allocation": "o"}}]}}],
"tasks": [{{"name": "P", "ops": [{{"loop": 3, "ops": [{{"acquire": "r"}}, {}]}}]}},
 {{"name": "C", "ops": [{{"loop": 3, "ops": [{{"wait": "r"}}, {}, {{"use": "o"}}]}}]}}]}})",
      aliased ? "coalesced" : "own", 32 * stages,
      aliased ? R"("alias_groups": [{"phases": [["r"], ["o"]]}], )" : "", stages, from.kind,
      to.kind, from.producer, to.consumer);
}

}  // namespace

std::vector<std::vector<std::uint8_t>> Seeds() {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (const Side& from : kSides) {
    for (const Side& to : kSides) {
      for (const int stages : {1, 2}) {
        for (const bool aliased : {false, true}) {
          const std::string text = Ring(from, to, stages, aliased);
          seeds.emplace_back(text.begin(), text.end());
        }
      }
    }
  }
  return seeds;
}

}  // namespace spillway
