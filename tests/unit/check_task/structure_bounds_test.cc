// Structural checks of long graphs over long tasks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "model/alloc/check_task/check_structure.h"
#include "model/alloc/check_task/downstream_pipelines.h"
#include "model/alloc/check_task/structure_parts.h"
#include "tests/unit/check_task/numbered.h"
#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Pipelines p, q and s with a resource each, and w0, w1, … without.
PipelineSystem Graph(int others, const std::string& graph) {
  const std::string form =
      R"({{"name": "{0}", "stages": 1, "producer": "thread", "consumer": "thread"}})";
  std::string pipelines;
  std::string resources;
  for (const char* name : {"p", "q", "s"}) {
    pipelines += (pipelines.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), name);
    resources += fmt::format(R"({{"name": "{0}", "regions": [], "pipeline": "{0}"}}, )", name);
  }
  return ParsePipeline(fmt::format(R"({{"system": "s", "version": 1, "pipelines": [{}],
    "resources": [{}{}], "graph": {{{}}}, "tasks": []}})",
                                   pipelines, resources,
                                   Numbered(others, R"({{"name": "w{}", "regions": []}})"), graph),
                       "test")
      .value();
}

/// Names of the pipelines downstream of each one, as "p: q s".
std::vector<std::string> Downstream(const PipelineSystem& system) {
  const auto sets = DownstreamPipelines(system);
  std::vector<std::string> lines;
  for (std::size_t p = 0; p < sets.size(); ++p) {
    std::string line = system.pipelines[PipelineId(p)].name + ":";
    for (std::size_t d = 0; d < sets.size(); ++d) {
      if (sets[PipelineId(p)].Contains(PipelineId(d)))
        line += " " + system.pipelines[PipelineId(d)].name;
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(DownstreamPipelinesTest, FollowsTheGraphThroughOtherResourcesAndCycles) {
  struct Row {
    std::string graph;
    std::vector<std::string> lines;
  };
  for (const Row& row :
       {Row{"", {"p:", "q:", "s:"}}, Row{R"("q": ["p"], "s": ["q"])", {"p: q s", "q: s", "s:"}},
        Row{R"("w0": ["p"], "w1": ["w0"], "q": ["w1"])", {"p: q", "q:", "s:"}},
        Row{R"("w0": ["p"], "w1": ["p"], "q": ["w0", "w1"])", {"p: q", "q:", "s:"}},
        Row{R"("p": ["p"])", {"p: p", "q:", "s:"}},
        Row{R"("q": ["p"], "p": ["q"], "s": ["q"])", {"p: p q s", "q: p q s", "s:"}},
        Row{R"("w0": ["p", "w1"], "w1": ["w0"], "q": ["w1"])", {"p: q", "q:", "s:"}},
        Row{R"("w0": ["s", "w1"], "p": ["w0"], "w1": ["p"])", {"p: p", "q:", "s: p"}}}) {
    EXPECT_EQ(Downstream(Graph(2, row.graph)), row.lines) << row.graph;
  }
}

TEST(DownstreamPipelinesTest, ALongChainIsWalkedOnce) {
  constexpr int kLength = 100'000;
  std::string graph = R"("w0": ["p"])";
  for (int i = 1; i < kLength; ++i) graph += fmt::format(R"(, "w{}": ["w{}"])", i, i - 1);
  graph += fmt::format(R"(, "q": ["w{}"])", kLength - 1);
  EXPECT_THAT(Downstream(Graph(kLength, graph)), ElementsAre("p: q", "q:", "s:"));
}

TEST(EarlyReleaseBoundsTest, StepsAreCollectedOnceAndNotForEachEdge) {
  constexpr int kEdges = 10'000;
  constexpr int kTrips = 20'000;
  std::string graph;
  for (int i = 0; i < kEdges; ++i) graph += fmt::format(R"({}"w{}": ["m"])", i == 0 ? "" : ", ", i);
  // Each release but the last one has its write of w0 before it.
  const PreparedSystem prepared = Prepare(fmt::format(
      R"({{"system": "s", "version": 1,
    "pipelines": [{{"name": "m", "stages": 2, "producer": "matrix", "consumer": "matrix"}}],
    "resources": [{{"name": "m", "regions": [], "pipeline": "m"}}, {}],
    "graph": {{{}}},
    "tasks": [{{"name": "A", "ops": [{{"loop": {}, "ops": [
        {{"acquire": "m"}}, {{"matrix": {{"write": ["m"]}}}}, {{"commit": "m"}}]}}]}},
      {{"name": "B", "ops": [{{"loop": {}, "ops": [{{"wait": "m"}},
        {{"matrix": {{"read": ["m"], "write": ["w0"]}}}}, {{"release": "m"}}]}},
        {{"wait": "m"}}, {{"release": "m"}}]}}]}})",
      Numbered(kEdges, R"({{"name": "w{}", "regions": []}})"), graph, kTrips + 1, kTrips));
  std::vector<std::string> early;
  for (const StructureFinding& finding : CheckStructure(prepared.system, prepared.program)) {
    if (finding.code == StructureCode::kEarlyRelease) early.push_back(finding.text);
  }
  EXPECT_THAT(early, ElementsAre(HasSubstr("release #20000 of pipeline m")));
}

TEST(EarlyReleaseTest, TheFirstReleaseWithoutAWriteSinceItsWaitIsNamed) {
  const std::map<char, std::string> words = {{'w', R"({"wait": "m"})"},
                                             {'x', R"({"matrix": {"write": ["d"]}})"},
                                             {'r', R"({"release": "m"})"}};
  struct Row {
    std::string operations;
    int early = -1;  ///< -1: none
  };
  for (const Row& row :
       {Row{"wxr", -1}, Row{"wrx", 0}, Row{"xwr", 0}, Row{"wwxrr", -1}, Row{"wxwrr", 1},
        Row{"wwxrrwr", 2}, Row{"wxrwwrxr", 1}, Row{"wwwxrrrwwrxr", 3}, Row{"wxwxrrwr", 2},
        Row{"wwrxr", 0}, Row{"wxwrxr", -1}}) {
    std::string operations;
    for (const char c : row.operations)
      operations += (operations.empty() ? "" : ", ") + words.at(c);
    const auto trips = std::count(row.operations.begin(), row.operations.end(), 'w');
    const PreparedSystem prepared = Prepare(fmt::format(
        R"({{"system": "s", "version": 1,
      "pipelines": [{{"name": "m", "stages": 4, "producer": "matrix", "consumer": "matrix"}}],
      "resources": [{{"name": "m", "regions": [], "pipeline": "m"}},
                    {{"name": "d", "regions": []}}],
      "graph": {{"d": ["m"]}},
      "tasks": [{{"name": "A", "ops": [{{"loop": {}, "ops": [{{"acquire": "m"}},
          {{"matrix": {{"write": ["m"]}}}}, {{"commit": "m"}}]}}]}},
        {{"name": "B", "ops": [{}]}}]}})",
        trips, operations));
    std::string found;
    for (const StructureFinding& finding : CheckStructure(prepared.system, prepared.program)) {
      if (finding.code == StructureCode::kEarlyRelease) found += finding.text;
    }
    if (row.early < 0) {
      EXPECT_EQ(found, "") << row.operations;
    } else {
      EXPECT_THAT(found, HasSubstr(fmt::format("release #{} of pipeline m", row.early)))
          << row.operations;
    }
  }
}

// A loop of no trips may hold any number of operations, since it holds none.
TEST(StructureBoundsTest, WhatALoopOfNoTripsHoldsIsNotListed) {
  for (const char* nest :
       {R"({"loop": 0, "ops": [{"loop": 281474976710656, "ops": [{"use": "x"}]}]})",
        R"({"loop": 3, "ops": [{"loop": 0, "ops": [
                               {"loop": 281474976710656, "ops": [{"use": "x"}]}]}]})"}) {
    const PreparedSystem prepared = Prepare(fmt::format(
        R"({{"system": "s", "version": 1, "resources": [{{"name": "x", "regions": []}}],
            "tasks": [{{"name": "A", "ops": [{}]}}]}})",
        nest));
    EXPECT_TRUE(UnrolledOperations(prepared.system.tasks[TaskId(0)]).empty());
    EXPECT_TRUE(CheckStructure(prepared.system, prepared.program).empty());
  }
}

}  // namespace
}  // namespace spillway::task
