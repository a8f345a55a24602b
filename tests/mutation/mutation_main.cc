// Plants every fault of the catalogue in turn and writes who found it. Built with planted faults
// only: ci/mutation runs it.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/mutation/mutation_options.h"
#include "tests/mutation/process.h"
#include "tests/mutation/trial_results.h"
#include "tests/mutation/trial_run.h"

namespace spillway {
namespace {

// The lines of one fault's result: from the folder of earlier ones, or measured now.
std::string LinesOf(const std::string& fault, const MutationOptions& options) {
  const std::filesystem::path file = std::filesystem::path(options.keep) / fault;
  if (!options.keep.empty() && std::filesystem::exists(file)) {
    std::ostringstream kept;
    kept << std::ifstream(file).rdbuf();
    // What an interrupted run left half-written is measured again.
    if (FromLines(kept.str())) return kept.str();
  }
  const FaultResult result = RunTrial(fault, {options.cases, options.tests});
  std::cerr << fmt::format("{}: {} judges\n", result.id, result.kills.size());
  if (!options.keep.empty()) {
    std::filesystem::create_directories(options.keep);
    std::ofstream(file) << ToLines(result);
  }
  return ToLines(result);
}

int Run(const MutationOptions& options) {
  const std::vector<ProcessEnd> ends =
      MapForked(options.faults.size(), options.jobs,
                [&](std::size_t item) { return LinesOf(options.faults[item], options); });
  const Result<std::vector<FaultResult>> collected = CollectResults(options.faults, ends);
  if (!collected) {
    std::cerr << "mutation: " << collected.error().ToString() << "\n";
    return 1;
  }
  const std::vector<FaultResult>& results = *collected;
  if (options.out.empty()) {
    std::cout << MatrixMarkdown(results);
  } else {
    std::ofstream(options.out + ".md") << MatrixMarkdown(results);
    std::ofstream(options.out + ".json") << MatrixJson(results);
  }
  const MutationSummary summary = Summarize(results);
  std::cerr << fmt::format("{} of {} killed, {} by two judges or more\n", summary.killed,
                           summary.planted, summary.by_two);
  for (const std::string& column : summary.false_alarms)
    std::cerr << fmt::format("{} objects to nothing planted\n", column);
  for (const std::string& id : summary.survivors) std::cerr << fmt::format("{} survives\n", id);
  const bool good = summary.false_alarms.empty() && summary.survivors.empty();
  return options.check && !good ? 1 : 0;
}

}  // namespace
}  // namespace spillway

// libsystemc asks for it: its own main would call it, and this program has another.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const spillway::Result<spillway::MutationOptions> options =
      spillway::ParseMutationOptions(arguments);
  if (options) return spillway::Run(*options);
  std::cerr << "mutation: " << options.error().ToString() << "\n";
  return 2;
}
