// What the checks of task pipelines say about one placed kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/alloc/rings/ring_depth.h"
#include "sim/tool/pipeline_report.h"

namespace spillway {

/// One on-chip tensor.
struct RingRow {
  std::string tensor;
  Space space = Space::kSbuf;
  std::int64_t fills = 0;
  std::int64_t stages = 1;      ///< places of its blocks
  Bytes stage_bytes;            ///< of each partition
  bool is_pipeline = false;     ///< else `reason`
  std::optional<Error> reason;  ///< why its accesses meet at semaphores, or in one stream
  /// Of tensors with more than one place; nothing: one place, or `unknown` says why.
  std::optional<rings::RingDepth> depth;
  std::optional<Error> unknown;
  /// The fewest stages with which nobody waits for ever, since streams wait for a free stage.
  std::optional<std::int64_t> live;

  bool IsTooShort() const { return depth && !depth->as_it_is.empty(); }
  /// Bytes of each partition that the order of the program doesn't ask for.
  Bytes Spare() const;
};

/// One system that became of the kernel, and its findings.
struct SystemFindings {
  std::int64_t events = 0;
  std::int64_t waits = 0;  ///< semaphores' tokens
  /// System, layout, verdict and findings; its states aren't explored, and it isn't played.
  PipelineReport judged;
};

/// Findings of larger systems have no runs that show them.
inline constexpr std::int64_t kMostWitnessEvents = 20'000;

struct RingsReport {
  std::string file;
  std::optional<Error> error;  ///< what follows is then as far as it got
  std::string kernel;
  std::int64_t instances = 0;
  std::vector<std::string> streams;
  std::int64_t pipelines = 0;
  std::int64_t semaphores = 0;
  std::vector<RingRow> rows;
  bool is_cut = false;                  ///< the longest loops were cut for the check of the rings
  std::optional<SystemFindings> rings;  ///< of the system of pipelines
  std::optional<SystemFindings> placement;  ///< of all tensors, with the lowering's semaphores
  std::string written;                      ///< the pipeline file, where one was asked for
  std::optional<Error> not_written;         ///< why there is none

  /// "pass", "fail", "inconclusive", "bad-input" or "cannot-allocate".
  std::string VerdictName() const;
  /// 0, 1, 1, 3 or 4; 3 too where a file that was asked for couldn't be written.
  int ExitCode() const;
};

/// Whether the name is a kernel file's: "….kernel.jsonl" or "….kernel.jsonl.zst".
bool IsKernelFile(const std::string& file);

/// Reads a placed kernel, turns what rotates into pipelines and judges three things: each ring's
/// stages against what the order of the program needs, the system of pipelines, and the placement
/// with the waits that the kernel is lowered to. `output`: a pipeline file to write the system to;
/// empty: none.
/// Errors (in the report): the reader's, the target's, those of rings::DeriveRings and LowerKernel;
/// those of PipelineFileOf and kFile where no file is written.
RingsReport CheckKernelRings(const std::string& file, const std::string& output);

/// "exact; with 2: wrong-value: …", "too short: …"; empty for a tensor with one place.
std::string RingVerdict(const RingRow& row);

/// A line as for pipeline files; below it, indented, a table of the tensors with more than one
/// place, then the findings.
std::string ToText(const RingsReport& report);
/// One JSON object on one line, with a line's end.
std::string ToJson(const RingsReport& report);

}  // namespace spillway
