// What one run of one kernel found: the numbers of the text line and of the JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/alloc/nki/stack_account.h"
#include "model/hw/violation.h"
#include "sim/estimate/estimate.h"

namespace spillway {

enum class Verdict { kPass, kFail, kBadInput, kCannotAllocate };
std::string_view VerdictName(Verdict verdict);
/// 0, 1, 3, 4. Source: command line, exit table.
int ExitCode(Verdict verdict);

/// The allocator of a kernel that came with its places.
inline constexpr std::string_view kAsPlaced = "as placed";

struct SpillReport {
  std::int64_t iterations = 0;
  std::int64_t tensors = 0;
  std::int64_t saves = 0;  ///< executed, each iteration of a loop counted
  std::int64_t reloads = 0;
  std::int64_t reloads_removed = 0;  ///< uses that found their bytes resident (in the code)
  Bytes saved_bytes;
  Bytes reloaded_bytes;
  double predicted_cycles = 0;       ///< the oracle's cost of the saves and reloads
  std::int64_t measured_cycles = 0;  ///< time with any of their DMAs in flight
  std::vector<std::pair<std::string, double>> per_tensor;  ///< spilled tensor, predicted cycles
};

struct RunReport {
  std::string file;
  std::string kernel;
  std::string target;
  std::string allocator;
  std::string oracle = "none";  ///< what priced the spills; none without an allocation
  Verdict verdict = Verdict::kPass;
  std::string error_kind;  ///< of a bad input or a failed allocation
  std::string message;
  std::vector<std::string> notes;
  std::vector<std::string> remarks;       ///< those of `notes` that a run's text shows too
  std::vector<std::string> unpriced_ops;  ///< that the machine ran by the generic rule; sorted
  std::int64_t instructions = 0;
  std::int64_t tensors = 0;
  std::int64_t cycles = 0;
  std::int64_t nanoseconds = 0;
  std::optional<Estimate> estimate;  ///< the compiler's own, where its oracle prices everything
  std::string estimate_note;         ///< why there is none
  std::vector<std::pair<std::string, double>> engines;  ///< busy share of the run, by engine
  SpillReport spill;
  struct {
    Bytes capacity_bytes;
    Bytes high_water_bytes;
    Bytes peak_live_bytes;
    std::array<Bytes, 4> quadrant_bytes{};
  } sbuf;
  struct {
    BankCount banks;
    BankCount peak_banks;
  } psum;
  struct {
    Bytes spill_bytes;
    Bytes high_water_bytes;
  } dram;
  std::optional<nki::StackAccount> stack;  ///< of the allocator of that name
  std::vector<CheckResult> checks;
  struct {
    std::string mode;
    std::int64_t compared_bytes = 0;
    std::int64_t mismatched_bytes = 0;
    std::vector<std::string> opaque_ops;
  } data;
  struct {
    double read = 0;
    double allocate = 0;
    double check = 0;
    double estimate = 0;
    double simulate = 0;
  } seconds;  ///< wall clock; the only figures that differ between equal runs
};

/// Every violation of every check, in the order of the checks.
std::vector<Violation> AllViolations(const RunReport& report);

}  // namespace spillway
