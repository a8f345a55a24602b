// The runs that reports show.
#include "model/alloc/check_task/witness.h"

#include <gmock/gmock.h>

#include "model/alloc/check_task/check_system.h"
#include "tests/unit/check_task/prepared_system.h"
#include "tests/unit/task/pipeline_files.h"

namespace spillway::task {
namespace {

PreparedSystem Example(const std::string& name) {
  return Prepare(ReadPipelineFile(PipelinePath(name)).value());
}

// The table of ts_pipelines.md §10.
TEST(WitnessTest, ShowsTheSeedsRaceStepByStep) {
  const PreparedSystem seed = Example("e0_seed");
  const EventGraph graph = BuildEventGraph(seed.system, seed.program).value();
  const Verdict verdict = CheckSystem(seed.system, seed.program).value();
  const Witness witness = WitnessOf(seed.system, seed.program, graph, verdict.races.at(0));
  EXPECT_EQ(WitnessTable(seed.system, witness, 100),
            R"(step | Writer             | Reader            | sp empty, full | in progress
1    | acquire sp #0      |                   | 0, 0           |
2    | write sp #0        |                   | 0, 0           |
3    | commit sp #0       |                   | 0, 1           |
4    |                    | wait sp #0        | 0, 0           |
5    |                    | read sp #0        | 0, 0           |
6    |                    | release sp #0     | 1, 0           |
7    | acquire sp #1      |                   | 0, 0           |
8    | write sp #1 begins | use vec #0 begins | 0, 0           | Writer write sp #1; Reader use vec #0
)");
}

TEST(WitnessTest, ShowsAClobberWithTheWriteAsLateAsItCanBe) {
  const PreparedSystem seed = Example("e0_seed");
  const EventGraph graph = BuildEventGraph(seed.system, seed.program).value();
  const Verdict verdict = CheckSystem(seed.system, seed.program).value();
  const Witness witness = WitnessOf(seed.system, seed.program, graph, verdict.clobbers.at(0));
  EXPECT_EQ(WitnessTable(seed.system, witness, 5),
            R"(step | Writer       | Reader            | sp empty, full | in progress
... 7 rows before
8    | write sp #1  |                   | 0, 0           |
9    | commit sp #1 |                   | 0, 1           |
10   |              | use vec #0        | 0, 1           |
11   |              | wait sp #1        | 0, 0           |
12   |              | read sp #1 begins | 0, 0           | Reader read sp #1
)");
}

TEST(WitnessTest, ShowsAsynchronousWorkThatIsStillOnItsWay) {
  const PreparedSystem e5b = Example("e5b_operand_released_by_thread");
  const EventGraph graph = BuildEventGraph(e5b.system, e5b.program).value();
  const Verdict verdict = CheckSystem(e5b.system, e5b.program).value();
  const Witness witness = WitnessOf(e5b.system, e5b.program, graph, verdict.races.at(0));
  EXPECT_EQ(
      WitnessTable(e5b.system, witness, 3),
      R"(step | Load                   | Mma           | ab empty, full | acc empty, full | in progress
... 6 rows before
7    |                        | release ab #0 | 1, 0           | 0, 0            | Mma.matrix read ab #0, write acc #0
8    | acquire ab #1          |               | 0, 0           | 0, 0            | Mma.matrix read ab #0, write acc #0
9    | dma write ab #1 issued |               | 0, 0           | 0, 0            | Load.dma write ab #1; Mma.matrix read ab #0, write acc #0
)");
}

TEST(WitnessTest, TheClobberingTransferIsTheLastOneToLand) {
  const PreparedSystem both = Prepare(R"({"system": "s", "version": 1, "barriers": "none",
    "allocations": [{"name": "x", "space": "sbuf", "size": 64, "at": 0},
                    {"name": "y", "space": "sbuf", "size": 64, "at": 0}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "dma", "consumer": "thread"},
                  {"name": "q", "stages": 1, "producer": "dma", "consumer": "thread"}],
    "resources": [{"name": "x", "regions": [{"allocation": "x"}], "pipeline": "p"},
                  {"name": "y", "regions": [{"allocation": "y"}], "pipeline": "q"}],
    "tasks": [{"name": "L", "ops": [
                {"acquire": "q"}, {"dma": {"write": ["y"], "commit": ["q"]}},
                {"acquire": "p"}, {"dma": {"write": ["x"], "commit": ["p"]}}]},
              {"name": "C", "ops": [{"wait": "q"}, {"wait": "p"}, {"read": "x"},
                {"release": "q"}, {"release": "p"}]}]})");
  const EventGraph graph = BuildEventGraph(both.system, both.program).value();
  const Verdict verdict = CheckSystem(both.system, both.program).value();
  const Witness witness = WitnessOf(both.system, both.program, graph, verdict.clobbers.at(0));
  EXPECT_EQ(
      WitnessTable(both.system, witness, 5),
      R"(step | L                   | C                | p empty, full | q empty, full | in progress
... 4 rows before
5    | dma write x #0 done |                  | 0, 1          | 0, 0          | L.dma write y #0
6    | dma write y #0 done |                  | 0, 1          | 0, 1          |
7    |                     | wait q #0        | 0, 1          | 0, 0          |
8    |                     | wait p #0        | 0, 0          | 0, 0          |
9    |                     | read x #0 begins | 0, 0          | 0, 0          | C read x #0
)");
}

TEST(WitnessTest, ShowsAnUninitializedReadInAShortestRun) {
  const PreparedSystem late = Prepare(R"({"system": "s", "version": 1,
    "allocations": [{"name": "m", "space": "smem", "size": 64}],
    "pipelines": [{"name": "p", "stages": 1, "producer": "thread", "consumer": "thread"}],
    "resources": [{"name": "r", "regions": [{"allocation": "m"}]}],
    "tasks": [{"name": "A", "ops": [{"acquire": "p"}, {"commit": "p"}]},
              {"name": "B", "ops": [{"wait": "p"}, {"release": "p"}, {"read": "r"}]}]})");
  const EventGraph graph = BuildEventGraph(late.system, late.program).value();
  const Verdict verdict = CheckSystem(late.system, late.program).value();
  const Witness witness = WitnessOf(late.system, late.program, graph, verdict.uninitialized.at(0));
  EXPECT_EQ(witness.events, 5);
  EXPECT_EQ(WitnessTable(late.system, witness, 100),
            R"(step | A            | B                | p empty, full | in progress
1    | acquire p #0 |                  | 0, 0          |
2    | commit p #0  |                  | 0, 1          |
3    |              | wait p #0        | 0, 0          |
4    |              | release p #0     | 1, 0          |
5    |              | read r #0 begins | 1, 0          | B read r #0
)");
}

TEST(WitnessTest, ShowsADeadlockUpToTheLastEventThatHappens) {
  const PreparedSystem e11 = Example("e11_missing_release");
  const EventGraph graph = BuildEventGraph(e11.system, e11.program).value();
  EXPECT_EQ(WitnessTable(e11.system, WitnessOfDeadlock(e11.system, e11.program, graph), 100),
            R"(step | A            | B         | p empty, full | in progress
1    | acquire p #0 |           | 0, 0          |
2    | write p #0   |           | 0, 0          |
3    | commit p #0  |           | 0, 1          |
4    |              | wait p #0 | 0, 0          |
5    |              | read p #0 | 0, 0          |
)");
}

TEST(WitnessTest, KeepsTheLastRowsOfALongRun) {
  const PreparedSystem x2 = Example("x2_slots_meet_late");
  const EventGraph graph = BuildEventGraph(x2.system, x2.program).value();
  const Verdict verdict = CheckSystem(x2.system, x2.program).value();
  const Witness witness = WitnessOfDeadlock(x2.system, x2.program, graph);
  EXPECT_EQ(witness.rows.size() + static_cast<std::size_t>(witness.skipped_rows),
            192u);  // 256 events, and the two of each access are one row
  EXPECT_EQ(witness.events, 256);
}

}  // namespace
}  // namespace spillway::task
