#include <fmt/format.h>

#include <set>

#include "model/hw/timing/event_machine.h"
#include "properties/allocation_properties.h"
#include "properties/geometry_properties.h"
#include "properties/impact_table.h"
#include "properties/kernel_choices.h"
#include "properties/program_choices.h"
#include "properties/spill_yardstick.h"
#include "sim/exec/kernel_effects.h"
#include "tests/mutation/trial.h"
#include "tests/mutation/trial_problems.h"
#include "tests/property/plain_machine.h"

namespace spillway {
namespace {

// Transfers of the allocator for 1000 of the yardstick over the batch, and tensors that it spills.
// Measured without a fault, and rounded up by half a per cent.
constexpr std::int64_t kMostPerMille = 515;
constexpr std::int64_t kMostSpilled = 1105;

std::vector<std::uint8_t> SomeBytes(std::int64_t number, std::size_t count) {
  std::vector<std::uint8_t> bytes =
      ChoiceBytesFromSeed(static_cast<std::uint64_t>(number) * 2, count / kChoiceBytes + 1);
  bytes.resize(count);
  return bytes;
}

}  // namespace

void TryCounts(const TrialOptions& options, TrialLog& log) {
  log.Start(1);
  const Planted planted(options.fault);
  if (const auto fault = CheckImpactCounts()) return log.Kill("counts", 1, *fault);
  for (std::int64_t number = 1; number <= options.cases; ++number) {
    log.Start(number);
    const NodeSet set =
        DecodeNodeSet(SomeBytes(number, 40 + static_cast<std::size_t>(number) % 200));
    for (const auto& fault :
         {CheckGeometricDegree(DecodeNeighborhood(SomeBytes(number, 12))).fault,
          CheckGraphFreeResidual(set), CheckSimplifyOrder(set), CheckColouring(set)}) {
      if (fault) return log.Kill("counts", number, *fault);
    }
  }
}

void TryCost(const TrialOptions& options, TrialLog& log) {
  std::int64_t ours = 0;
  std::int64_t theirs = 0;
  std::int64_t spilled = 0;
  for (std::int64_t number = 1; number <= options.cases; ++number) {
    log.Start(number);
    const AllocationProblem problem = ProblemOf("none", 40 + 60 * number + number % 20);
    const Planted planted(options.fault);
    AllocateOptions allocate;
    allocate.sbuf_bytes = problem.sbuf_bytes;
    allocate.psum_banks = problem.psum_banks;
    const Result<Allocation> made =
        BoundedAllocate()(problem.kernel, problem.target, ClosedFormFor(problem.target), allocate);
    if (!made) continue;
    ours += SpillTransfersOf(made->kernel);
    spilled += static_cast<std::int64_t>(made->sbuf.spilled.size());
    theirs += YardstickTransfersOf(problem.kernel, problem.sbuf_bytes, problem.target);
  }
  if (ours * 1000 > theirs * kMostPerMille || spilled > kMostSpilled) {
    log.Kill("cost", options.cases,
             fmt::format("{} transfers for {} of the yardstick, {} tensors spilled", ours, theirs,
                         spilled));
  }
}

void TryTiming(const TrialOptions& options, TrialLog& log) {
  EventMachine machine;
  for (std::int64_t number = 1; number <= options.cases; ++number) {
    log.Start(number);
    const ProgramCase c = ProgramCaseFromSeed(static_cast<std::uint64_t>(number),
                                              1 + static_cast<std::size_t>(number) % 40);
    const HwProgram program = c.Program();
    const Target target = c.RatesOf();
    const std::vector<InstanceTimes> plain = PlainMachine(program, target).Play();
    const Planted planted(options.fault);
    const RunResult played = machine.Run(program, target, {}, nullptr);
    if (played.outcome != RunOutcome::kFinished)
      return log.Kill("progress", number, "a program that ends on the plain machine doesn't");
    if (played.times != plain)
      return log.Kill("timing", number, "the plain machine's times differ");
  }
}

void TryFiles(const TrialOptions& options, TrialLog& log) {
  for (std::int64_t number = 1; number <= options.cases; ++number) {
    log.Start(number);
    Kernel kernel = ProblemOf("none", number).kernel;
    // DRAM is larger than 32 bits count.
    std::int64_t start = (std::int64_t{1} << 33) + 4096 * number;
    for (Tensor& tensor : kernel.tensors) {
      if (tensor.space != Space::kDram) continue;
      tensor.at.clear();
      for (std::int64_t b = 0; b < BlockCount(tensor); ++b) {
        tensor.at.push_back({Partition(0), ByteOffset(start)});
        start += RoundUp(BlockBytes(tensor).value, 4096);
      }
    }
    const Planted planted(options.fault);
    const PropertyVerdict verdict = CheckRoundTrip(kernel);
    if (!verdict.ok()) return log.Kill("files", number, verdict.faults.front());
  }
}

}  // namespace spillway
