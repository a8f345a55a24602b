// Any bytes as a pipeline file: refused with a reason, or a system that reads back from its print
// and that both static engines judge alike, with runs that its machine accepts.
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/check_task/describe_verdict.h"
#include "model/alloc/check_task/explore_states.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "tests/fuzz/harness.h"
#include "traces/pipeline_reader.h"
#include "traces/pipeline_writer.h"

namespace spillway {
namespace {

/// A case takes milliseconds below these; larger systems are read, laid out and unrolled alone.
constexpr std::int64_t kMaxEvents = 2'000;
constexpr task::ExplorationOptions kExploration{
    .max_states = 2'000, .max_numbers = 1'000'000, .max_comparisons = 1'000'000};
constexpr std::size_t kWitnesses = 4;

std::string Judge(const task::PipelineSystem& system, const task::Program& program) {
  const Result<task::Verdict> verdict = task::CheckSystem(system, program);
  if (!verdict) return verdict.error().code.empty() ? "a refusal without a code" : "";
  // Each witness is played on the machine of the second engine, which throws at what can't happen.
  const auto findings = task::DescribeVerdict(system, program, *verdict, kWitnesses);
  if (!findings) return "a verdict that can't be described: " + findings.error().ToString();
  if (verdict->IsClean() != findings->empty()) return "findings and verdict differ";
  const task::Exploration explored = task::ExploreStates(system, program, kExploration);
  if (!explored.complete) return "";
  std::vector<std::pair<task::TaskId, std::uint32_t>> blocked;
  for (const task::BlockedTask& one : verdict->blocked) blocked.emplace_back(one.task, one.step);
  if (verdict->races != explored.races) return "clocks and exploration find different races";
  if (blocked != explored.blocked) return "clocks and exploration block different tasks";
  return "";
}

}  // namespace

std::string FuzzOne(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<task::PipelineSystem> system = ParsePipeline(text, "fuzzed");
  if (!system) {
    const Error& error = system.error();
    if (error.file != "fuzzed" || error.code.empty() || error.message.empty())
      return "an error without file, code or message: " + error.ToString();
    return "";
  }
  const auto again = ParsePipeline(PrintPipelineFile(*system), "printed");
  if (!again) return "its print is refused: " + again.error().ToString();
  if (*again != *system) return "its print reads back as another system";
  // The reader vouches for both.
  const task::SystemLayout layout = task::LayOutSystem(*system).value();
  const task::Program program = task::Unroll(*system, layout).value();
  return task::EventCount(program) > kMaxEvents ? "" : Judge(*system, program);
}

}  // namespace spillway
