// The cases of a campaign over worker processes that may crash, hang and be replaced.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/campaign.h"

namespace spillway {

inline constexpr std::size_t kMostJudges = 32;

/// What a worker counts. Plain numbers in memory that parent and worker share.
struct CampaignCounts {
  std::uint64_t cases = 0;
  std::uint64_t judged = 0;
  std::uint64_t refused = 0;
  std::uint64_t rare_cases = 0;  ///< of the judged ones
  Coverage coverage;
  double decode_seconds = 0;
  double allocate_seconds = 0;
  std::array<double, kMostJudges> judge_seconds{};

  void Add(const CampaignCounts& other);
};

/// A case with findings.
struct FailedCase {
  std::uint64_t index = 0;
  std::string first;  ///< what the worker found first, for where it isn't found again
};

/// A case that a worker didn't survive.
struct LostCase {
  std::uint64_t index = 0;
  bool hung = false;
};

struct CampaignRun {
  CampaignCounts counts;
  std::vector<FailedCase> failing;  ///< ascending
  std::vector<LostCase> lost;       ///< ascending
};

/// Runs the cases of `options`. What fails is noted by its index and its first finding.
CampaignRun RunWorkers(const CampaignOptions& options);

/// The judges for case `index`.
std::vector<JudgeId> JudgesFor(const CampaignOptions& options, std::uint64_t index);

}  // namespace spillway
