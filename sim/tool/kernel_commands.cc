#include "sim/tool/kernel_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <thread>

#include "sim/tool/html_report.h"
#include "sim/tool/json_report.h"
#include "sim/tool/pipeline.h"
#include "sim/tool/progress.h"
#include "sim/tool/stack_text.h"
#include "sim/tool/text_report.h"
#include "sim/tool/write_artifacts.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

constexpr int kBadInput = 3;

KernelRun RunCommand(const std::string& file, const ToolOptions& options,
                     const Progress& progress) {
  switch (options.command) {
    case Command::kAlloc: return AllocateKernel(file, options, progress);
    case Command::kCheck: return CheckKernel(file, options, progress);
    case Command::kReplay: return ReplayKernel(file, options, progress);
    default: return RunKernel(file, options, progress);
  }
}

// A bug of ours on one kernel is that kernel's verdict: the others still run.
KernelRun Process(const std::string& file, const ToolOptions& options, const Progress& progress) {
  try {
    return RunCommand(file, options, progress);
  } catch (const std::exception& bug) {
    KernelRun run;
    run.report.file = file;
    run.report.allocator = options.allocator;
    run.report.verdict = Verdict::kFail;
    run.report.message = fmt::format(
        "{}: a bug of this tool: {}\nPlease report it with the kernel file.", file, bug.what());
    return run;
  }
}

bool Simulates(Command command) { return command == Command::kRun || command == Command::kReplay; }

// `alloc` has shown the summary already.
std::string StackLog(const RunReport& report, Command command) {
  return StackTree(report) + (Simulates(command) ? StackSummary(report) : "");
}

// Runs of all files, in order, as they become ready.
class Runs {
 public:
  Runs(const ToolOptions& options, ProgressLine& line)
      : options_(options), line_(line), runs_(options.files.size()) {}

  /// Calls `use` for each run in the order of the files; a run is freed after its use.
  template <class Use>
  void ForEach(Use use) {
    const std::size_t workers =
        std::min<std::size_t>(static_cast<std::size_t>(options_.threads), runs_.size());
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers; ++w) threads.emplace_back([this] { Work(); });
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [&] { return runs_[i].has_value(); });
      KernelRun run = std::move(*runs_[i]);
      runs_[i].reset();
      lock.unlock();
      line_.Clear();
      use(run);
    }
  }

 private:
  void Work() {
    for (std::size_t i = next_++; i < runs_.size(); i = next_++) {
      const std::string& file = options_.files[i];
      const std::string name = std::filesystem::path(file).filename();
      KernelRun run = Process(file, options_, [&](const std::string& stage) {
        line_.Show(fmt::format("[{}/{}] {}: {}", i + 1, runs_.size(), name, stage));
      });
      const std::lock_guard lock(mutex_);
      runs_[i] = std::move(run);
      ready_.notify_all();
    }
  }

  const ToolOptions& options_;
  ProgressLine& line_;
  std::vector<std::optional<KernelRun>> runs_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable ready_;
};

bool Report(const Result<void>& written) {
  if (!written) std::cerr << written.error().ToString() << "\n";
  return written.has_value();
}

}  // namespace

int KernelCommand(const ToolOptions& options) {
  ProgressLine line;
  Runs runs(options, line);
  std::vector<RunReport> reports;
  std::vector<ReportSection> sections;
  int exit_code = 0;
  const bool quiet = options.json == "-";
  runs.ForEach([&](const KernelRun& run) {
    exit_code = std::max(exit_code, ExitCode(run.report.verdict));
    if (!quiet) {
      std::cout << (Simulates(options.command) ? ToText(run.report) : AllocationText(run.report))
                << (options.stack_log ? StackLog(run.report, options.command) : "") << std::flush;
    }
    if (options.command == Command::kAlloc && run.report.verdict == Verdict::kPass) {
      const Kernel placed = WithPlacement(run.allocation->kernel, run.allocation->placement);
      if (!Report(WriteKernelFile(placed, options.output)))
        exit_code = std::max(exit_code, kBadInput);
    }
    if (!Report(WriteArtifacts(run, options))) exit_code = std::max(exit_code, kBadInput);
    if (!options.report.empty()) sections.push_back(MakeSection(run));
    reports.push_back(run.report);
  });
  if (!quiet && options.command != Command::kAlloc) std::cout << Summary(reports);
  if (!options.report.empty() && !Report(WriteHtmlReport(sections, options.report)))
    exit_code = std::max(exit_code, kBadInput);
  if (!options.json.empty() && !Report(WriteText(options.json, ToJson(reports))))
    exit_code = std::max(exit_code, kBadInput);
  return exit_code;
}

}  // namespace spillway
