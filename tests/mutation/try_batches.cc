#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/alloc/dram/allocate_dram.h"
#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/event_machine.h"
#include "properties/allocation_properties.h"
#include "properties/found_corpus.h"
#include "properties/kernel_choices.h"
#include "properties/program_choices.h"
#include "properties/property_table.h"
#include "properties/spill_yardstick.h"
#include "sim/exec/kernel_effects.h"
#include "tests/mutation/trial.h"
#include "tests/mutation/trial_problems.h"
#include "tests/property/plain_machine.h"

namespace spillway {
namespace {

// Transfers of the allocator for 1000 of the yardstick over the batch, and tensors that it spills
// for 10,000. Measured without a fault (673 and 263), and half a per cent more.
constexpr std::int64_t kMostPerMille = 677;
constexpr std::int64_t kMostSpilled = 265;

std::vector<std::uint8_t> SomeBytes(std::int64_t number, std::size_t count) {
  std::vector<std::uint8_t> bytes =
      ChoiceBytesFromSeed(static_cast<std::uint64_t>(number) * 2, count / kChoiceBytes + 1);
  bytes.resize(count);
  return bytes;
}

}  // namespace

namespace {

// Bytes of a home with large blocks, counted block by block.
std::optional<std::string> CheckHomeExtent(std::int64_t number) {
  Tensor tensor;
  tensor.name = "home";
  tensor.space = Space::kDram;
  tensor.dtype = DType::kUint8;
  tensor.shape = {(std::int64_t{1} << 30) + 4096 * number};
  tensor.blocks = {1 + number % 7};
  const HomeLayout layout = LayoutOf(tensor);
  Bytes end;
  for (std::int64_t block = 0; block < BlockCount(tensor); ++block)
    end = layout.block_stride * block + BlockBytes(tensor);
  if (end == layout.extent) return std::nullopt;
  return fmt::format("a home of {} blocks of {} bytes takes {} bytes, counted {}",
                     BlockCount(tensor), BlockBytes(tensor).value, layout.extent.value, end.value);
}

// Fixed part and payload in picoseconds, counted byte by byte: each started picosecond counts.
std::optional<std::string> CheckDescriptorTime(const Target& target, std::int64_t bytes) {
  std::int64_t payload = 0;
  std::int64_t left = 0;  // millionths of a byte that wait for the next picosecond
  for (std::int64_t b = 0; b < bytes; ++b) {
    left += 1'000'000;
    payload += left / target.dma_bytes_per_microsecond.value;
    left %= target.dma_bytes_per_microsecond.value;
  }
  payload += left > 0 ? 1 : 0;
  const std::int64_t expected = std::max(target.dma_descriptor_floor.value.value,
                                         target.dma_descriptor_fixed.value.value + payload);
  const std::int64_t counted =
      DescriptorTime(target, Bytes(bytes), DescriptorKind::kContiguous).value;
  if (counted == expected) return std::nullopt;
  return fmt::format("a descriptor of {} bytes: {} ps, counted {}", bytes, counted, expected);
}

std::optional<std::string> CheckDescriptorTimes(std::int64_t number) {
  static const Target target = FindTarget("trn2").value();
  return CheckDescriptorTime(target, 500 + 7 * number);
}

}  // namespace

void TryCounts(const TrialOptions& options, TrialLog& log) {
  for (std::int64_t number = 1; number <= options.cases; ++number) {
    log.Start(number);
    const std::vector<std::uint8_t> bytes =
        SomeBytes(number, 40 + static_cast<std::size_t>(number) % 200);
    // Kernels take longer than all the rest.
    constexpr std::int64_t kKernelEvery = 10;
    std::optional<AllocationProblem> problem;
    if (number % kKernelEvery == 1) problem = UnplacedProblem(number);
    const Planted planted(options.fault);
    for (const PropertyRow& row : AllProperties()) {
      if (row.kind != PropertyKind::kPass || (row.cases == 1 && number > 1)) continue;
      if (row.of_bytes == nullptr && !problem) continue;
      const RelationVerdict verdict =
          row.of_bytes != nullptr ? row.of_bytes(bytes) : row.of_case(CaseOf(*problem, number));
      if (verdict.faults.empty()) continue;
      return log.Kill("counts", number, std::string(row.name) + ": " + verdict.faults.front());
    }
    for (const auto& fault : {CheckHomeExtent(number), CheckDescriptorTimes(number)}) {
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
  if (ours * 1000 > theirs * kMostPerMille || spilled * 10'000 > theirs * kMostSpilled) {
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
      return log.Kill("machine", number, "the plain machine's times differ");
  }
}

namespace {

// A corpus with a file that nobody can read isn't one that passes.
std::optional<std::string> CheckUnreadableIsSaid() {
  std::string folder = std::filesystem::temp_directory_path() / "spillway-corpus-";
  folder.append(6, 'X');
  if (mkdtemp(folder.data()) == nullptr) return "no temporary folder";
  std::ofstream(folder + "/broken.kernel.jsonl") << "{\n";
  const std::vector<FoundKernel> found = ReplayFound(folder, BoundedAllocate(), {});
  std::filesystem::remove_all(folder);
  if (found.size() == 1 && !found.front().ok()) return std::nullopt;
  return "a corpus file that can't be read is skipped";
}

}  // namespace

void TryFiles(const TrialOptions& options, TrialLog& log) {
  {
    const Planted planted(options.fault);
    if (const auto fault = CheckUnreadableIsSaid()) log.Kill("files", 1, *fault);
  }
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
