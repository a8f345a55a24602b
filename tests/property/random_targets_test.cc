// Machines that don't exist: what must hold whatever the rows say.
#include "properties/random_target.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/hw/closed_form_rules.h"
#include "model/hw/hwm.h"
#include "model/hw/target_rows.h"
#include "model/hw/timing/dma_transfer.h"
#include "model/hw/timing/event_machine.h"
#include "properties/rapidcheck_kernels.h"
#include "properties/rapidcheck_programs.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

std::vector<std::int64_t> NumbersOf(const Target& target) {
  std::vector<std::int64_t> numbers;
  ForEachRow(target, [&](std::string_view, std::string_view, RowLimits, const auto& row) {
    numbers.push_back(RawNumber(row.value));
  });
  return numbers;
}

TEST(RandomTargets, ComeBackFromTheirFile) {
  Shares shares;
  CheckProperty("target files", 500, [&] {
    const std::vector<std::uint8_t> bytes = *AnyBytes(40);
    const Target base = BaseOf(bytes);
    const Target target = DecodeTarget(bytes);
    RC_ASSERT(BrokenRelation(target).empty());
    const Result<Target> read = ParseTargetJson(TargetFile(target, base), "random.json");
    if (!read) RC_FAIL(read.error().ToString());
    RC_ASSERT(read->name == target.name);
    RC_ASSERT(NumbersOf(*read) == NumbersOf(target));
    shares.Case();
    shares.Count("changed", NumbersOf(target) != NumbersOf(base));
  });
  shares.AtLeast("changed", 80);
}

TEST(RandomTargets, HaveALatencyAboveZeroForEveryAccess) {
  CheckProperty("latencies", 300, [] {
    const Target target = DecodeTarget(*AnyBytes(40));
    const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(target);
    const std::int64_t partitions = *rc::gen::inRange<std::int64_t>(1, 129);
    const std::int64_t bytes = *rc::gen::inRange<std::int64_t>(1, 100'000);
    for (const Space space : {Space::kSbuf, Space::kPsum, Space::kDram}) {
      RC_ASSERT(hwm->Latency(space, {PartitionCount(partitions), Bytes(bytes)}) > Cycles(0));
    }
  });
}

TEST(RandomTargets, PlayAnyProgramToItsEnd) {
  CheckProperty("programs", 300, [](const ProgramCase& program_case) {
    Target target = DecodeTarget(*AnyBytes(24));
    const HwProgram program = program_case.Program();
    // The program's waits count the increments of its own machine.
    target.dma_engines = program_case.RatesOf().dma_engines;
    target.dma_completion_increments = program_case.RatesOf().dma_completion_increments;
    target.dma_queues.value = kMaxDmaQueues;
    EventMachine machine;
    const RunResult first = machine.Run(program, target, {}, nullptr);
    const RunResult again = machine.Run(program, target, {}, nullptr);
    RC_ASSERT(first.makespan == again.makespan);
    RC_ASSERT(first.outcome == RunOutcome::kFinished);
    RC_ASSERT(first.times.size() == program.instances().size());
    for (const InstanceTimes& times : first.times) RC_ASSERT(times.start <= times.finish);
  });
}

}  // namespace
}  // namespace spillway
