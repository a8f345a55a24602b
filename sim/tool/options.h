// What the command line asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alloc/baseline/child_process.h"
#include "model/hw/units.h"
#include "sim/values/value_model.h"

namespace spillway {

enum class Command {
  kRun,
  kAlloc,
  kCheck,
  kReplay,
  kTargets,
  kHwm,
  kBench,
  kGen,
  kShrink,
  kCampaign,
  kPipeline
};

struct ToolOptions {
  Command command = Command::kRun;
  std::vector<std::string> files;
  std::string json;    ///< empty, a path, or "-"
  std::string target;  ///< empty: the kernel's own
  std::optional<Bytes> sbuf_bytes;
  std::optional<BankCount> psum_banks;
  std::string allocator = "coloring";  ///< see find_allocator.h
  ChildLimits allocator_limits;        ///< of an external one
  std::string oracle = "measured";     ///< what prices spills; see oracle.h
  bool reallocate = false;
  std::int64_t best_of = 1;       ///< AllocateOptions::attempts
  bool stack_log = false;         ///< the tree of the stack allocator's scopes and tiles
  std::string opts;               ///< file of compile options; empty: the kernel's own
  bool mixing_per_space = false;  ///< automatic and direct tensors may meet in one kernel
  ValueMode values = ValueMode::kNumeric;
  std::uint64_t seed = 1;
  std::string report;                   ///< HTML file
  std::string timeline;                 ///< Chrome and Perfetto trace events
  std::string tables;                   ///< directory of CSV tables
  std::string dump;                     ///< directory for inputs and outputs
  std::string inputs;                   ///< directory to read inputs from
  std::string output;                   ///< alloc -o
  std::string suite = "kernels";        ///< of bench
  bool rules = false;                   ///< targets: the rules of time too
  std::uint64_t first = 0;              ///< gen, campaign: index of the first case
  std::uint64_t cases = 1000;           ///< campaign
  std::uint64_t execute_every = 1;      ///< campaign: judges that execute see every n-th case
  std::string judges = "all";           ///< shrink, campaign: all, static, or names with commas
  std::string corpus;                   ///< campaign: directory for what failed
  double seconds = 10;                  ///< shrink, campaign: wall clock to shrink one failure
  std::int64_t max_states = 1'000'000;  ///< pipeline: of the exploration
  bool play = true;                     ///< pipeline: replay on the machine too
  /// pipeline: options that were given and that only pipeline files have, such as "--states".
  std::vector<std::string> of_pipeline_files;
  int threads = 1;
};

/// What to do next: go on with `options`, or stop with `exit_code` after printing `text`.
struct ParsedArguments {
  ToolOptions options;
  bool stop = false;
  int exit_code = 0;
  std::string text;  ///< help to standard output, or an error to standard error
};

/// Wrong usage gives exit code 2 and says what was expected.
ParsedArguments ParseArguments(int argc, const char* const* argv);

std::string_view ValueModeName(ValueMode mode);

}  // namespace spillway
