// Runs a kernel in program order with unlimited memory: what any allocation of it must reproduce.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/hw/violation.h"
#include "sim/values/inputs.h"
#include "sim/values/value_model.h"

namespace spillway {

/// An operation without numerics, as often as it ran.
struct OpaqueOp {
  std::string op;
  std::string reason;
  std::int64_t count = 0;

  friend bool operator==(const OpaqueOp&, const OpaqueOp&) = default;
};

struct InterpreterReport {
  NamedData dram;  ///< final bytes of every DRAM tensor and every output; empty in kNone
  std::int64_t instructions = 0;         ///< executed; those whose predicates fail don't count
  std::vector<OpaqueOp> opaque;          ///< by operation, then reason; only in kNumeric
  std::vector<Violation> uninitialized;  ///< in the order of running, one a tensor and point
  std::int64_t uninitialized_total = 0;  ///< of them, with those beyond the first 1,000
  std::int64_t reads_checked = 0;
  std::int64_t peak_bytes = 0;  ///< of storage at one time, DRAM tensors among it
};

struct InterpreterOptions {
  /// Instructions and loop boundaries that a run may take before it is given up.
  std::int64_t max_steps = 1'000'000'000;
};

/// Runs every iteration in order (a dynamic loop up to its bound); a tensor's storage lives from
/// its first to its last access. Unwritten on-chip bytes are poison, DRAM starts as
/// InitialDramByte. Errors: kUnknownName "missing-input", kShape "input-size"; kLimit
/// "tensor-bytes", "interpreter-steps".
Result<InterpreterReport> Interpret(const Kernel& kernel, ValueMode mode, const Inputs& inputs,
                                    const InterpreterOptions& options = {});

}  // namespace spillway
