// Kernels that failed once, kept as files: every run takes them first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "properties/problem_outcome.h"

namespace spillway {

struct FoundKernel {
  std::string file;
  std::optional<Error> unreadable;  ///< a corpus that can't be read proves nothing
  std::vector<Finding> findings;
  std::optional<Error> refusal;  ///< then no judge has seen it

  bool ok() const { return !unreadable && findings.empty(); }
};

/// Takes every kernel file of `directory`, in the order of their names, through `allocate` and
/// `judges`, each in a process of its own, with the limits of its origin. A directory that isn't
/// there has no files.
std::vector<FoundKernel> ReplayFound(const std::string& directory, const AllocateFunction& allocate,
                                     const std::vector<JudgeId>& judges, double case_seconds = 20);

}  // namespace spillway
