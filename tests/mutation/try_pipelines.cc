#include <array>
#include <exception>
#include <string>
#include <utility>

#include "tests/mutation/pipeline_columns.h"
#include "tests/mutation/trial.h"

namespace spillway {

void TryPipelines(const TrialOptions& options, TrialLog& log) {
  static constexpr std::array<std::pair<const char*, PipelineColumn>, 6> kColumns = {{
      {"layouts", &RecountLayouts},
      {"layout-laws", &CheckLayoutLaws},
      {"engines", &CompareEngines},
      {"replay", &CompareReplay},
      {"replay-data", &CompareReplayData},
      {"rings", &CompareRings},
  }};
  std::set<std::string> killed = options.killed;
  for (std::int64_t number = options.first; number <= options.cases; ++number) {
    log.Start(number);
    for (const auto& [name, column] : kColumns) {
      if (killed.contains(name)) continue;
      // What throws for one column says nothing of the others.
      try {
        const std::optional<std::string> objection = column(number, options.fault);
        if (!objection) continue;
        log.Kill(name, number, *objection);
      } catch (const std::exception& error) {
        log.Kill("progress", number, std::string(name) + " threw: " + error.what());
      }
      killed.insert(name);
    }
  }
}

}  // namespace spillway
