// Plants every fault of the catalogue in turn and writes who found it. Built with planted faults
// only: ci/mutation runs it.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "properties/fault_catalogue.h"
#include "tests/mutation/process.h"
#include "tests/mutation/trial_run.h"

namespace spillway {
namespace {

struct Options {
  TrialRunOptions trial;
  std::vector<std::string> faults;  ///< empty: nothing planted, then all
  std::string out;                  ///< path without its extension; empty: standard output
  std::string keep;  ///< folder with a file a fault: what is there isn't measured again
  int jobs = 2;
  bool check = false;
};

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--check") {
      options.check = true;
      continue;
    }
    if (i + 1 == argc) break;
    const std::string value = argv[++i];
    if (name == "--cases") options.trial.cases = std::stoll(value);
    if (name == "--tests") options.trial.binaries = value;
    if (name == "--only") options.faults = Split(value);
    if (name == "--out") options.out = value;
    if (name == "--keep") options.keep = value;
    if (name == "--jobs") options.jobs = std::stoi(value);
  }
  if (!options.faults.empty()) return options;
  options.faults = PlantableFaults();
  options.faults.insert(options.faults.begin(), "none");
  return options;
}

// The lines of one fault's result: from the folder of earlier ones, or measured now.
std::string LinesOf(const std::string& fault, const Options& options) {
  const std::filesystem::path file = std::filesystem::path(options.keep) / fault;
  if (!options.keep.empty() && std::filesystem::exists(file)) {
    std::ostringstream kept;
    kept << std::ifstream(file).rdbuf();
    return kept.str();
  }
  const FaultResult result = RunTrial(fault, options.trial);
  std::cerr << fmt::format("{}: {} judges\n", result.id, result.kills.size());
  if (!options.keep.empty()) {
    std::filesystem::create_directories(options.keep);
    std::ofstream(file) << ToLines(result);
  }
  return ToLines(result);
}

int Run(const Options& options) {
  const std::vector<std::string> outputs =
      MapForked(options.faults.size(), options.jobs,
                [&](std::size_t item) { return LinesOf(options.faults[item], options); });
  std::vector<FaultResult> results;
  for (const std::string& lines : outputs) results.push_back(FromLines(lines));
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

int main(int argc, char** argv) { return spillway::Run(spillway::Parse(argc, argv)); }
