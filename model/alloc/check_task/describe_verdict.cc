#include "model/alloc/check_task/describe_verdict.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "model/alloc/task/capacities.h"

namespace spillway::task {
namespace {

std::string Describe(const PipelineSystem& system, const Race& race) {
  return fmt::format(
      "{} and {} can touch {}[{}:{}) at the same time: expected an edge that ends one before the "
      "other begins, found none",
      TextOf(system, race.a), TextOf(system, race.b), MemorySpaceName(race.space),
      race.range.begin.value, race.range.end.value);
}

/// "tmem[0:64)", and the partitions where they aren't all.
std::string TextOf(const Footprint& piece) {
  std::string text = fmt::format("{}[{}:{})", MemorySpaceName(piece.space), piece.range.begin.value,
                                 piece.range.end.value);
  const Interval<Partition> all{Partition(0), Partition(PartitionsOf(piece.space).value)};
  if (piece.partitions != all) {
    text += fmt::format(" of partitions [{}, {})", piece.partitions.begin.value,
                        piece.partitions.end.value);
  }
  return text;
}

std::string Describe(const PipelineSystem& system, const Clobber& clobber) {
  const std::string& own = system.resources[clobber.read.what.resource].name;
  const std::string& other = system.resources[clobber.write.what.resource].name;
  return fmt::format(
      "{} may see {}: expected the last write to {} through {} or a resource that it shares, found "
      "{}; list {} in the shares of {} if that is meant",
      TextOf(system, clobber.read), TextOf(system, clobber.write), TextOf(clobber.piece), own,
      other, other, own);
}

std::string Describe(const PipelineSystem& system, const UninitializedRead& read) {
  return fmt::format("{}: expected a write to {} before it, found none; resource {} isn't initial",
                     TextOf(system, read.read), TextOf(read.piece),
                     system.resources[read.read.what.resource].name);
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
  std::map<Kind, std::size_t> witnesses;
  const auto add = [&](Kind kind, std::string text, auto&& witness) {
    Finding finding{kind, std::string(KindName(kind)), std::move(text), std::nullopt};
    if (witnesses[kind]++ < max_witnesses) finding.witness = witness();
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
  for (const UninitializedRead& read : verdict.uninitialized) {
    add(Kind::kUninitializedRead, Describe(system, read),
        [&] { return WitnessOf(system, program, *graph, read); });
  }
  for (const StructureFinding& finding : verdict.structure) {
    findings.push_back(
        {Kind::kShape, std::string(StructureCodeName(finding.code)), finding.text, std::nullopt});
  }
  return findings;
}

}  // namespace spillway::task
