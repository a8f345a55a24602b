// Structural findings, each from the smallest system that shows it.
#include "model/alloc/check_task/check_structure.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/unit/check_task/prepared_system.h"

namespace spillway::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Pipelines p and q of two stages, thread to thread; m is matrix to matrix. Each has a resource of
/// its name; w has none.
PreparedSystem With(const std::string& graph, const std::string& tasks) {
  return Prepare(fmt::format(R"({{"system": "s", "version": 1,
    "allocations": [{{"name": "a", "space": "smem", "size": 128}},
                    {{"name": "b", "space": "smem", "size": 128}},
                    {{"name": "c", "space": "smem", "size": 128}},
                    {{"name": "d", "space": "smem", "size": 128}}],
    "pipelines": [{{"name": "p", "stages": 2, "producer": "thread", "consumer": "thread"}},
                  {{"name": "q", "stages": 2, "producer": "thread", "consumer": "thread"}},
                  {{"name": "m", "stages": 2, "producer": "matrix", "consumer": "matrix"}}],
    "resources": [{{"name": "p", "regions": [{{"allocation": "a"}}], "pipeline": "p"}},
                  {{"name": "q", "regions": [{{"allocation": "b"}}], "pipeline": "q"}},
                  {{"name": "m", "regions": [{{"allocation": "c"}}], "pipeline": "m"}},
                  {{"name": "w", "regions": [{{"allocation": "d"}}]}}],
    {} "tasks": [{}]}})",
                             graph, tasks));
}

std::vector<std::string> Codes(const std::string& graph, const std::string& tasks) {
  const PreparedSystem prepared = With(graph, tasks);
  return StructureCodes(CheckStructure(prepared.system, prepared.program));
}

std::string Task(const std::string& name, const std::string& ops) {
  return fmt::format(R"({{"name": "{}", "ops": [{}]}})", name, ops);
}

const std::string kFill = R"({"acquire": "p"}, {"write": "p"}, {"commit": "p"})";
const std::string kDrain = R"({"wait": "p"}, {"read": "p"}, {"release": "p"})";

TEST(StructureTest, AProducerAndAConsumerInBracketsAreClean) {
  EXPECT_THAT(Codes("", Task("A", kFill) + "," + Task("B", kDrain)), IsEmpty());
  EXPECT_THAT(Codes(R"("graph": {"w": ["p"]},)",
                    Task("A", kFill) + "," + Task("B", kDrain + R"(, {"write": "w"})")),
              IsEmpty());
}

TEST(StructureTest, APipelineThatNobodyUsesIsNoFinding) {
  EXPECT_THAT(Codes("", Task("A", R"({"use": "w"})")), IsEmpty());
}

TEST(StructureTest, EveryTaskThatTakesPartHasTheSameNumbers) {
  // Two consumers of one fill each are balanced; one that drains less often isn't.
  const std::string twice = R"({"loop": 2, "ops": [)" + kFill + "]}";
  const std::string drains = R"({"loop": 2, "ops": [)" + kDrain + "]}";
  EXPECT_THAT(Codes("", Task("A", twice) + "," + Task("B", drains) + "," + Task("C", drains)),
              IsEmpty());
  EXPECT_THAT(Codes("", Task("A", twice) + "," + Task("B", drains) + "," + Task("C", kDrain)),
              ElementsAre("pipeline.unbalanced"));
}

TEST(StructureTest, AFillThatNobodyWaitsForIsUnbalanced) {
  const PreparedSystem prepared = With("", Task("A", kFill));
  const auto findings = CheckStructure(prepared.system, prepared.program);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, StructureCode::kUnbalanced);
  EXPECT_THAT(findings[0].text, HasSubstr("acquires A 1, commits A 1, waits none, releases none"));
}

TEST(StructureTest, AWaitWithoutAnyCommitHasNoProducer) {
  EXPECT_THAT(Codes("", Task("B", kDrain)), ElementsAre("pipeline.no-producer"));
}

TEST(StructureTest, WorkBehindTheCloseIsOutside) {
  EXPECT_THAT(Codes("", Task("A", kFill) + "," +
                            Task("B", R"({"wait": "p"}, {"release": "p"}, {"read": "p"})")),
              ElementsAre("bracket.outside"));
  EXPECT_THAT(Codes("", Task("A", R"({"acquire": "p"}, {"commit": "p"}, {"write": "p"})") + "," +
                            Task("B", kDrain)),
              ElementsAre("bracket.outside"));
}

TEST(StructureTest, ACloseBeforeItsOpenIsUnopened) {
  EXPECT_THAT(Codes("", Task("A", kFill) + "," +
                            Task("B", R"({"release": "p"}, {"wait": "p"}, {"read": "p"})")),
              ElementsAre("bracket.outside", "bracket.unopened"));
  // Another task's acquire doesn't open for this one.
  EXPECT_THAT(Codes("", Task("A", R"({"acquire": "p"})") + "," + Task("C", R"({"commit": "p"})") +
                            "," + Task("B", kDrain)),
              ElementsAre("bracket.unopened"));
}

TEST(StructureTest, ATaskMayHoldAllStagesButNoMore) {
  const std::string drains = R"({"loop": 3, "ops": [)" + kDrain + "]}";
  const auto fills = [](int ahead) {
    return fmt::format(
        R"({{"loop": {0}, "ops": [{{"acquire": "p"}}]}}, {{"write": "p"}}, {{"loop": 3, "ops": [{{"commit": "p"}}]}})",
        ahead);
  };
  EXPECT_THAT(Codes("", Task("A", fills(3)) + "," + Task("B", drains)),
              ElementsAre("bracket.too-deep"));
  EXPECT_THAT(
      Codes(
          "",
          Task(
              "A",
              R"({"acquire": "p"}, {"acquire": "p"}, {"write": "p"}, {"commit": "p"}, {"acquire": "p"}, {"write": "p"}, {"loop": 2, "ops": [{"commit": "p"}]})") +
              "," + Task("B", drains)),
      IsEmpty());
  // A task that only opens doesn't wait for itself.
  EXPECT_THAT(Codes("", Task("A", R"({"loop": 3, "ops": [{"acquire": "p"}]})") + "," +
                            Task("B", R"({"loop": 3, "ops": [{"commit": "p"}]})") + "," +
                            Task("C", drains)),
              ElementsAre("bracket.unopened"));
}

TEST(StructureTest, TheGraphLicensesASplitConsumer) {
  // B waits on p, C uses and releases it behind its wait on q, which B fills from p.
  const std::string tasks =
      Task("A", kFill) + "," +
      Task("B",
           R"({"wait": "p"}, {"read": "p"}, {"acquire": "q"}, {"write": "q"}, {"commit": "q"})") +
      "," + Task("C", R"({"wait": "q"}, {"read": "p"}, {"release": "p"}, {"release": "q"})");
  EXPECT_THAT(Codes(R"("graph": {"q": ["p"]},)", tasks), IsEmpty());
  EXPECT_THAT(Codes("", tasks), ElementsAre("bracket.outside", "bracket.unopened"));
  // Not before what is downstream is open.
  const std::string early =
      Task("A", kFill) + "," +
      Task("B",
           R"({"wait": "p"}, {"read": "p"}, {"acquire": "q"}, {"write": "q"}, {"commit": "q"})") +
      "," + Task("C", R"({"read": "p"}, {"wait": "q"}, {"release": "p"}, {"release": "q"})");
  EXPECT_THAT(Codes(R"("graph": {"q": ["p"]},)", early), ElementsAre("bracket.outside"));
}

TEST(StructureTest, WorkOfAnotherKindThanTheSideDeclaresIsFound) {
  const std::string fills = R"({"acquire": "m"}, {"write": "m"}, {"commit": "m"})";
  const std::string drains = R"({"wait": "m"}, {"matrix": {"read": ["m"]}}, {"release": "m"})";
  EXPECT_THAT(Codes("", Task("A", fills) + "," + Task("B", drains)), ElementsAre("pipeline.kind"));
  const std::string issues = R"({"acquire": "m"}, {"matrix": {"write": ["m"]}}, {"commit": "m"})";
  EXPECT_THAT(Codes("", Task("A", issues) + "," + Task("B", drains)), IsEmpty());
}

TEST(StructureTest, AReleaseBeforeTheWorkThatReadsItIsEarly) {
  const std::string fills = R"({"acquire": "m"}, {"matrix": {"write": ["m"]}}, {"commit": "m"})";
  const std::string graph = R"("graph": {"w": ["m"]},)";
  const auto consumer = [&](const std::string& ops) {
    return Codes(graph, Task("A", fills) + "," + Task("B", ops));
  };
  EXPECT_THAT(
      consumer(R"({"wait": "m"}, {"matrix": {"read": ["m"], "write": ["w"]}}, {"release": "m"})"),
      IsEmpty());
  EXPECT_THAT(
      consumer(
          R"({"wait": "m"}, {"matrix": {"read": ["m"]}}, {"release": "m"}, {"matrix": {"write": ["w"]}})"),
      ElementsAre("order.early-release"));
  // The first release is in time, the second one isn't.
  const std::string both = R"({"loop": 2, "ops": [)" + fills + "]}";
  const std::string second =
      R"({"wait": "m"}, {"matrix": {"read": ["m"], "write": ["w"]}}, {"release": "m"},
    {"wait": "m"}, {"matrix": {"read": ["m"]}}, {"release": "m"})";
  const PreparedSystem prepared = With(graph, Task("A", both) + "," + Task("B", second));
  const auto findings = CheckStructure(prepared.system, prepared.program);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].text, HasSubstr("release #1 of pipeline m"));
}

TEST(StructureTest, AnEdgeNeedsATaskThatConsumesAndProduces) {
  const std::string tasks = Task("A", kFill) + "," + Task("B", kDrain);
  EXPECT_THAT(Codes(R"("graph": {"w": ["p"]},)", tasks), ElementsAre("graph.edge-unbacked"));
  EXPECT_THAT(Codes(R"("graph": {"p": ["w"]},)", tasks), ElementsAre("graph.edge-unbacked"));
}

TEST(StructureTest, ASelfEdgeIsAPingPongBetweenTwoTasks) {
  EXPECT_THAT(Codes(R"("graph": {"p": ["p"]},)", Task("A", kFill) + "," + Task("B", kDrain)),
              IsEmpty());
  EXPECT_THAT(Codes(R"("graph": {"p": ["p"]},)", Task("A", kFill + "," + kDrain)),
              ElementsAre("graph.edge-unbacked"));
  EXPECT_THAT(Codes(R"("graph": {"w": ["w"]},)", Task("A", R"({"use": "w"})")),
              ElementsAre("graph.edge-unbacked"));
}

TEST(StructureTest, AFindingInALoopIsOneWithItsNumber) {
  const PreparedSystem prepared = With(
      "", Task("A", R"({"loop": 3, "ops": [)" + kFill + "]}") + "," +
              Task("B", R"({"loop": 3, "ops": [{"wait": "p"}, {"release": "p"}, {"read": "p"}]})"));
  const auto findings = CheckStructure(prepared.system, prepared.program);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].text, HasSubstr("task B: read of p #0"));
  EXPECT_THAT(findings[0].text, HasSubstr("(3 times)"));
}

TEST(StructureTest, EmptyLoopsOfManyTripsTakeNoTime) {
  EXPECT_THAT(
      Codes("",
            Task("A", R"({"loop": 1000000000000, "ops": [{"loop": 1000000000000, "ops": []}]},)" +
                          kFill) +
                "," + Task("B", kDrain)),
      IsEmpty());
}

}  // namespace
}  // namespace spillway::task
