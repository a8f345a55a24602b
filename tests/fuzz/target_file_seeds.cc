#include <fmt/format.h>

#include "model/hw/target.h"
#include "tests/fuzz/harness.h"

namespace spillway {

// A variant of a generation a row: as it is, smaller, larger.
std::vector<std::vector<std::uint8_t>> Seeds() {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (const Target& base : BuiltInTargets()) {
    for (const TargetRow& row : Rows(base)) {
      for (const std::int64_t value : {row.value, row.value / 2, row.value * 2}) {
        const std::string text = fmt::format(
            R"({{"name": "{}-x", "base": "{}", "rows": {{"{}": {{"value": {}, "source": "s", )"
            R"("confidence": "assumed"}}}}}})",
            base.name, base.name, row.key, value);
        seeds.emplace_back(text.begin(), text.end());
      }
    }
  }
  return seeds;
}

}  // namespace spillway
