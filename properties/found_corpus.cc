#include "properties/found_corpus.h"

#include <algorithm>
#include <filesystem>

#include "model/hw/fault.h"
#include "properties/campaign.h"
#include "properties/shrink_problem.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

std::vector<std::string> KernelFiles(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".kernel.jsonl") != std::string::npos) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<FoundKernel> ReplayFound(const std::string& directory, const AllocateFunction& allocate,
                                     const std::vector<JudgeId>& judges, double case_seconds) {
  std::vector<FoundKernel> found;
  for (const std::string& file : KernelFiles(directory)) {
    FoundKernel one{file, std::nullopt, {}, std::nullopt};
    const Result<Kernel> kernel = ReadKernelFile(file);
    const Result<AllocationProblem> problem = kernel ? ProblemOf(*kernel) : Fail(kernel.error());
    if (problem) {
      IsolatedOutcome outcome = JudgeIsolated(*problem, allocate, judges, case_seconds);
      one.findings = std::move(outcome.findings);
      one.refusal = std::move(outcome.refusal);
    } else {
      if (SPILLWAY_FAULT(E6, false, fault::variant == 1)) continue;
      one.unreadable = problem.error();
      if (one.unreadable->file.empty()) one.unreadable->file = file;
    }
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace spillway
