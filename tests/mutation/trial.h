// The parts of a trial of one planted fault. Each runs in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace spillway {

/// Where a trial writes what it sees; the process around it may end at any moment.
class TrialLog {
 public:
  virtual ~TrialLog() = default;
  /// Case `number` from 1 on starts: what a crash or a hang is counted with.
  virtual void Start(std::int64_t number) = 0;
  /// Column `judge` objects to case `number`.
  virtual void Kill(const std::string& judge, std::int64_t number, const std::string& text) = 0;
};

struct TrialOptions {
  std::string fault;             ///< "none": nothing is planted
  std::int64_t cases = 0;        ///< of the part
  std::int64_t first = 1;        ///< cases before it were tried
  std::set<std::string> killed;  ///< columns that need no further objection
};

/// Cases of TryKernels that are all tried; of later ones a fault that something has objected to
/// gets a sample, one case of so many.
inline constexpr std::int64_t kEveryCase = 300;
inline constexpr std::int64_t kSampled = 11;

/// Random kernels: allocated and judged until every judge of allocations has objected.
void TryKernels(const TrialOptions& options, TrialLog& log);
/// Allocations of other faults: every judge that rejects one without the fault must reject it with
/// it, and accept what it accepts. Judges that must agree whatever they are asked are compared with
/// each other too, which is a relation.
void TryKnownBad(const TrialOptions& options, TrialLog& log);
/// The properties of passes (property_table.h): closed forms and laws against counting, simplify
/// and select against their rules.
void TryCounts(const TrialOptions& options, TrialLog& log);
/// The sum of transfers over a fixed batch against the yardstick's.
void TryCost(const TrialOptions& options, TrialLog& log);
/// The properties of allocations and the relations between two (property_table.h), fresh and reused
/// machines, eager and lazy copies.
void TryRelations(const TrialOptions& options, TrialLog& log);
/// Times of random programs against the plain machine's.
void TryTiming(const TrialOptions& options, TrialLog& log);
/// What is written is read back, small and large addresses.
void TryFiles(const TrialOptions& options, TrialLog& log);
/// Task pipelines: random systems, layouts and rings, each column by itself (pipeline_columns.h).
void TryPipelines(const TrialOptions& options, TrialLog& log);

/// Instructions of the smallest kernel that still makes `judge` object as it does to case `number`
/// of TryKernels; 0 where it doesn't in a run of its own.
std::int64_t ShrinkKernel(const std::string& fault, std::int64_t number, const std::string& judge);

}  // namespace spillway
