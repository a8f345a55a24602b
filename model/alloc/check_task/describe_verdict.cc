#include "model/alloc/check_task/describe_verdict.h"

#include <fmt/format.h>

#include <utility>

namespace spillway::task {
namespace {

std::string Describe(const PipelineSystem& system, const Race& race) {
  return fmt::format(
      "{} and {} can touch {}[{}:{}) at the same time: expected an edge that ends one before the "
      "other begins, found none",
      TextOf(system, race.a), TextOf(system, race.b), MemorySpaceName(race.space),
      race.range.begin.value, race.range.end.value);
}

std::string Describe(const PipelineSystem& system, const Clobber& clobber) {
  const std::string& own = system.resources[clobber.read.what.resource].name;
  const std::string& other = system.resources[clobber.write.what.resource].name;
  return fmt::format(
      "{} may see {}: expected the last write through {} or a resource that it shares, found {}; "
      "list {} in the shares of {} if that is meant",
      TextOf(system, clobber.read), TextOf(system, clobber.write), own, other, other, own);
}

std::string Describe(const PipelineSystem& system, const AccessPoint& read) {
  return fmt::format("{}: expected a write before it, found none; resource {} isn't initial",
                     TextOf(system, read), system.resources[read.what.resource].name);
}

std::string Describe(const std::vector<BlockedTask>& blocked) {
  std::string text;
  for (const BlockedTask& task : blocked) text += (text.empty() ? "" : "\n") + task.text;
  return text;
}

}  // namespace

Result<std::vector<Finding>> DescribeVerdict(const PipelineSystem& system, const Program& program,
                                             const Verdict& verdict, std::size_t max_witnesses) {
  const Result<EventGraph> graph = BuildEventGraph(system, program);
  if (!graph) return Fail(graph.error());
  std::vector<Finding> findings;
  std::size_t witnesses = 0;
  const auto add = [&](Kind kind, std::string text, auto&& witness) {
    Finding finding{kind, std::string(KindName(kind)), std::move(text), std::nullopt};
    if (witnesses++ < max_witnesses) finding.witness = witness();
    findings.push_back(std::move(finding));
  };
  if (!verdict.blocked.empty()) {
    add(Kind::kDeadlock, Describe(verdict.blocked),
        [&] { return WitnessOfDeadlock(system, program, *graph); });
  }
  for (const Race& race : verdict.races) {
    add(Kind::kRace, Describe(system, race),
        [&] { return WitnessOf(system, program, *graph, race); });
  }
  for (const Clobber& clobber : verdict.clobbers) {
    add(Kind::kWrongValue, Describe(system, clobber),
        [&] { return WitnessOf(system, program, *graph, clobber); });
  }
  for (const AccessPoint& read : verdict.uninitialized) {
    findings.push_back({Kind::kUninitializedRead, std::string(KindName(Kind::kUninitializedRead)),
                        Describe(system, read), std::nullopt});
  }
  for (const StructureFinding& finding : verdict.structure) {
    findings.push_back(
        {Kind::kShape, std::string(StructureCodeName(finding.code)), finding.text, std::nullopt});
  }
  return findings;
}

}  // namespace spillway::task
