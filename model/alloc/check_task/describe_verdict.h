// A verdict in words: each finding with names, numbers and a run that shows it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/witness.h"
#include "model/hw/error.h"

namespace spillway::task {

struct Finding {
  Kind kind =
      Kind::kRace;   ///< kDeadlock, kRace, kWrongValue, kUninitializedRead; kShape: structure
  std::string code;  ///< the kind's name, or the structural code
  std::string text;  ///< names and numbers, expected and found
  std::optional<Witness> witness;

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// Every finding of `verdict`: deadlock, races, clobbers, uninitialized reads, structure. Of each
/// kind that a run can show the first `max_witnesses` have one.
/// Errors: limit (kLimit), as BuildEventGraph.
Result<std::vector<Finding>> DescribeVerdict(const PipelineSystem& system, const Program& program,
                                             const Verdict& verdict, std::size_t max_witnesses);

}  // namespace spillway::task
