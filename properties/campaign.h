// Very many problems, in worker processes: what they had in them, how long they took, what failed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/problem_outcome.h"

namespace spillway {

struct CampaignOptions {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  ///< index of the first case
  std::uint64_t cases = 1000;
  int workers = 1;
  std::vector<JudgeId> judges;       ///< asked for every case…
  std::vector<JudgeId> rare_judges;  ///< …and these for every `rare_every`-th
  std::uint64_t rare_every = 1;
  double case_seconds = 20;            ///< of processor time; a case that takes longer hangs
  std::size_t most_failures = 20;      ///< failing cases after which no more are begun
  double shrink_seconds = 10;          ///< a kind of failure
  std::string allocator = "coloring";  ///< for the files
  AllocateFunction allocate;
  /// Called now and then with the number of cases done; may be empty.
  std::function<void(std::uint64_t done)> progress;
};

/// One kind of failure: judge and error kind. Its smallest case is shrunk.
struct CampaignFailure {
  Finding finding;          ///< of the shrunk kernel
  std::uint64_t index = 0;  ///< of the first case that failed so
  std::int64_t cases = 0;   ///< among the failing cases that were looked at
  std::size_t instructions_before = 0;
  AllocationProblem problem;  ///< shrunk; its kernel's origin says where it comes from
};

struct CampaignReport {
  std::uint64_t cases = 0;       ///< begun and ended
  std::uint64_t rare_cases = 0;  ///< of them, those that the rare judges saw
  Coverage coverage;
  double decode_seconds = 0;
  double allocate_seconds = 0;
  std::vector<double> judge_seconds;  ///< in the order of judges, then rare judges
  double wall_seconds = 0;
  std::vector<CampaignFailure> failures;

  bool ok() const { return failures.empty() && coverage.Shortfalls().empty(); }
};

/// Case i is DecodeProblem(ProblemBytes(seed, i)). A worker that crashes or hangs gives a failure
/// of kProgress and is replaced. The same options give the same failures and coverage, whatever the
/// number of workers, as long as fewer than `most_failures` cases fail.
CampaignReport RunCampaign(const CampaignOptions& options);

/// The case of a campaign, as it was drawn.
AllocationProblem CampaignProblem(std::uint64_t seed, std::uint64_t index);

/// The problem of a kernel file that a campaign or `spillway gen` wrote: limits stand in the origin
/// ("sbuf_bytes", "psum_banks"), else they are the target's.
Result<AllocationProblem> ProblemOf(const Kernel& kernel);
/// `problem`'s kernel with its limits in the origin.
Kernel WithLimits(const AllocationProblem& problem);

}  // namespace spillway
