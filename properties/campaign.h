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
  std::uint64_t first = 0;  ///< index of the first case; `first` + `cases` is a number, too
  std::uint64_t cases = 1000;
  int workers = 1;
  std::vector<JudgeId> judges;       ///< asked for every case…
  std::vector<JudgeId> rare_judges;  ///< …and these for every `rare_every`-th
  std::uint64_t rare_every = 1;
  double case_seconds = 20;            ///< of processor time; a case that takes longer hangs
  double allocator_seconds = 0;        ///< by the clock, that `allocate` may wait for a process
  std::size_t most_failures = 20;      ///< failing cases after which no more are begun
  double shrink_seconds = 10;          ///< a kind of failure
  std::string allocator = "coloring";  ///< for the files
  AllocateFunction allocate;
  /// Called now and then with the number of cases done; may be empty.
  std::function<void(std::uint64_t done)> progress;
};

/// One kind of failure (IsSameFailure). Its smallest case is shrunk.
struct CampaignFailure {
  Finding finding;          ///< of the shrunk kernel
  std::uint64_t index = 0;  ///< of the first case that failed so
  std::int64_t cases = 0;   ///< among the failing cases that were looked at
  std::size_t instructions_before = 0;
  AllocationProblem problem;  ///< shrunk; its kernel's origin says where it comes from
  /// Whether the case fails again when it is judged alone; if not, it isn't shrunk.
  bool repeats = true;
};

struct CampaignReport {
  std::uint64_t cases = 0;       ///< begun and ended
  std::uint64_t judged = 0;      ///< of them, those that the allocator answered
  std::uint64_t refused = 0;     ///< and those that it refused for want of memory
  std::uint64_t rare_cases = 0;  ///< of the judged ones, those that the rare judges saw
  Coverage coverage;
  double decode_seconds = 0;
  double allocate_seconds = 0;
  std::vector<double> judge_seconds;  ///< in the order of judges, then rare judges
  double wall_seconds = 0;
  std::vector<CampaignFailure> failures;
  /// A sentence each: what the cases must have had in them and hadn't (Coverage::Shortfalls; only
  /// the colourer is held to the bins of allocations), or that none was judged.
  std::vector<std::string> shortfalls;

  bool ok() const { return failures.empty() && shortfalls.empty(); }
};

/// Case i is DecodeProblem(ProblemBytes(seed, i)). A worker that crashes or hangs gives a failure
/// of kProgress and is replaced; a case that fails in its worker and not again gives one, too. The
/// same options give the same failures and coverage, whatever the number of workers, as long as
/// fewer than `most_failures` cases fail.
CampaignReport RunCampaign(const CampaignOptions& options);

/// The case of a campaign, as it was drawn.
AllocationProblem CampaignProblem(std::uint64_t seed, std::uint64_t index);

/// The problem of a kernel file that a campaign or `spillway gen` wrote: limits stand in the origin
/// ("sbuf_bytes", "psum_banks"), else they are the target's.
Result<AllocationProblem> ProblemOf(const Kernel& kernel);
/// `problem`'s kernel with its limits in the origin.
Kernel WithLimits(const AllocationProblem& problem);

}  // namespace spillway
