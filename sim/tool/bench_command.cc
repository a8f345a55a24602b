#include "sim/tool/bench_command.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>

#include "sim/bench/yardstick_keys.h"
#include "sim/tool/bench_json.h"
#include "sim/tool/json_report.h"
#include "sim/tool/pipeline.h"

namespace spillway {
namespace {

constexpr int kRounds = 5;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Yardstick() {
  std::vector<std::uint64_t> keys = YardstickKeys();
  const auto start = std::chrono::steady_clock::now();
  std::sort(keys.begin(), keys.end());
  return SecondsSince(start);
}

struct Timing {
  std::string kernel;
  double read = std::numeric_limits<double>::max();
  double allocate = std::numeric_limits<double>::max();
  double run = std::numeric_limits<double>::max();
};

double PeakMebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int BenchKernels(const ToolOptions& options) {
  ToolOptions reallocated = options;
  reallocated.reallocate = true;
  ToolOptions tagged = options;
  tagged.values = ValueMode::kTags;
  std::vector<Timing> timings(options.files.size());
  double yardstick = std::numeric_limits<double>::max();
  int exit_code = 0;
  // Rounds are interleaved, so that a slow minute of the machine hits all figures alike.
  for (int round = 0; round < kRounds; ++round) {
    yardstick = std::min(yardstick, Yardstick());
    for (std::size_t i = 0; i < options.files.size(); ++i) {
      const KernelRun allocated = AllocateKernel(options.files[i], reallocated, {});
      const auto start = std::chrono::steady_clock::now();
      const KernelRun ran = RunKernel(options.files[i], tagged, {});
      Timing& timing = timings[i];
      timing.run = std::min(timing.run, SecondsSince(start));
      timing.read = std::min(timing.read, allocated.report.seconds.read);
      timing.allocate = std::min(timing.allocate, allocated.report.seconds.allocate);
      timing.kernel = ran.report.kernel.empty() ? options.files[i] : ran.report.kernel;
      for (const KernelRun* run : {&allocated, &ran}) {
        exit_code = std::max(exit_code, ExitCode(run->report.verdict));
        if (run->report.verdict != Verdict::kPass && round == 0)
          std::cerr << run->report.message << "\n";
      }
    }
  }
  std::cout << fmt::format(
      "yardstick: sorting 1,000,000 keys takes {:.3f} s; best of {} rounds, x yardstick in "
      "brackets\n",
      yardstick, kRounds);
  std::cout << fmt::format("{:<24} {:>18} {:>18} {:>18}\n", "kernel", "read", "allocate",
                           "run with tags");
  for (const Timing& timing : timings) {
    std::cout << fmt::format(
        "{:<24} {:>8.3f} s ({:>5.2f}) {:>8.3f} s ({:>5.2f}) {:>8.3f} s ({:>5.2f})\n", timing.kernel,
        timing.read, timing.read / yardstick, timing.allocate, timing.allocate / yardstick,
        timing.run, timing.run / yardstick);
  }
  std::cout << fmt::format("peak memory {:.0f} MiB\n", PeakMebibytes());
  return exit_code;
}

}  // namespace

int BenchCommand(const ToolOptions& options) {
  if (options.suite == "kernels") return BenchKernels(options);
  std::string text;
  std::string json;
  int exit_code = 0;
  if (options.suite == "machine") {
    const std::vector<MachineFigure> figures = RunMachineSuite();
    text = ToText(figures);
    json = MachineJson(figures);
  } else if (options.suite == "properties") {
    const PropertyReport report = RunPropertiesSuite();
    text = ToText(report);
    json = PropertiesJson(report);
  } else if (options.suite == "pipelines") {
    const PipelinesReport report = RunPipelinesSuite();
    text = ToText(report);
    json = PipelinesJson(report);
  } else {
    const PublishedReport report = RunPublishedSuite();
    text = ToText(report);
    json = PublishedJson(report);
    exit_code = report.holds() ? 0 : 1;
  }
  if (options.json != "-") std::cout << text;
  if (options.json.empty()) return exit_code;
  if (const Result<void> written = WriteText(options.json, json); !written) {
    std::cerr << written.error().ToString() << "\n";
    return 3;
  }
  return exit_code;
}

}  // namespace spillway
