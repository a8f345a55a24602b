#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/dram/allocate_dram.h"
#include "model/hw/timing/dma_cost.h"
#include "model/hw/timing/event_machine.h"
#include "properties/campaign_workers.h"
#include "properties/program_choices.h"
#include "properties/property_table.h"
#include "sim/exec/kernel_effects.h"
#include "sim/values/inputs.h"
#include "tests/mutation/trial.h"
#include "tests/mutation/trial_problems.h"

namespace spillway {
namespace {

NamedData OutputsOf(const Kernel& kernel, const LoweredKernel& lowered, const Target& target,
                    const Inputs& inputs, bool eager) {
  KernelEffects effects(kernel, lowered, ValueMode::kTags, inputs, {.eager_copies = eager});
  EventMachine().Run(lowered.program, target, lowered.memory.use, &effects);
  return effects.TakeOutputs();
}

// Copies that read late must give what copies that read at once give, whatever waits are missing.
std::optional<std::string> CompareLazyCopies(const AllocationProblem& problem) {
  AllocateOptions options;
  options.sbuf_bytes = problem.sbuf_bytes;
  options.psum_banks = problem.psum_banks;
  const Result<Allocation> made =
      BoundedAllocate()(problem.kernel, problem.target, ClosedFormFor(problem.target), options);
  const Result<Inputs> inputs = GenerateInputs(problem.kernel, 1);
  if (!made || !inputs) return std::nullopt;
  LowerOptions lower;
  for (std::size_t wait = 0; wait < 4096; wait += 3) lower.dropped_waits.push_back(wait);
  const Result<LoweredKernel> lowered =
      LowerKernel(made->kernel, made->placement, problem.target, lower);
  if (!lowered) return std::nullopt;
  const NamedData lazy = OutputsOf(made->kernel, *lowered, problem.target, *inputs, false);
  const NamedData eager = OutputsOf(made->kernel, *lowered, problem.target, *inputs, true);
  for (const auto& [name, data] : eager) {
    if (lazy.at(name).bytes != data.bytes) return "lazy and eager copies: " + name + " differs";
  }
  return std::nullopt;
}

std::optional<std::string> CompareMachines(EventMachine& reused, std::int64_t number) {
  const auto seed = static_cast<std::uint64_t>(number);
  const ProgramCase c = ProgramCaseFromSeed(seed, 1 + seed % 40);
  const HwProgram program = c.Program();
  const Target target = c.RatesOf();
  const RunResult again = reused.Run(program, target, {}, nullptr);
  const RunResult fresh = EventMachine().Run(program, target, {}, nullptr);
  if (again.times == fresh.times) return std::nullopt;
  return "a reused and a fresh machine give two times";
}

// A success has no more working copies than were allowed.
std::optional<std::string> CheckSpillCap(const AllocationProblem& problem) {
  SbufOptions options;
  options.capacity = problem.sbuf_bytes;
  options.spill_cap = 2;
  const Result<SbufAllocation> made =
      AllocateSbuf(problem.kernel, problem.target, ClosedFormFor(problem.target), options);
  if (!made) return std::nullopt;
  const auto copies = std::count_if(
      made->kernel.tensors.begin(), made->kernel.tensors.end(),
      [](const Tensor& tensor) { return tensor.name.find("_ReloadStore") != std::string::npos; });
  if (copies <= options.spill_cap) return std::nullopt;
  return fmt::format("{} working copies with a cap of {}", copies, options.spill_cap);
}

// What reaches outside its tensor isn't lowered.
std::optional<std::string> CheckOutsideIsRefused(const Kernel& kernel) {
  Kernel outside = kernel;
  for (Instruction& instruction : outside.instructions) {
    if (!instruction.when.empty()) continue;
    Operand& operand = instruction.outputs.front().operands.front();
    operand.free_offset.constant += FreeElements(outside.tensors[operand.tensor]) * 4;
    operand.free_offset.modulus = 0;
  }
  Placement placement;
  placement.addresses.resize(kernel.tensors.size());
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space == Space::kDram) continue;
    const auto blocks = static_cast<std::size_t>(BlockCount(tensor));
    placement.addresses[TensorId(t)].assign(blocks, {Partition(0), ByteOffset(0)});
  }
  const Result<LoweredKernel> lowered =
      LowerKernel(outside, placement, FindTarget(kernel.target).value());
  if (!lowered || lowered->sequence.size() == 0) return std::nullopt;
  return "operands outside their tensors are lowered";
}

// Workers share the cases of a campaign without a gap and without a repetition.
std::optional<std::string> CompareCampaigns() {
  CampaignOptions options;
  options.cases = 40;
  options.judges = {JudgeId::kLegality};
  options.allocate = BoundedAllocate();
  const CampaignCounts alone = RunWorkers(options).counts;
  options.workers = 3;
  const CampaignCounts shared = RunWorkers(options).counts;
  if (alone.cases == shared.cases && alone.coverage.counts == shared.coverage.counts)
    return std::nullopt;
  return fmt::format("a campaign of {} cases: {} with three workers", alone.cases, shared.cases);
}

// Twice the blocks of a home take twice the bytes, beyond what 32 bits count too.
std::optional<std::string> CompareHomes(std::int64_t number) {
  Tensor tensor;
  tensor.name = "home";
  tensor.space = Space::kDram;
  tensor.dtype = DType::kUint8;
  tensor.shape = {(std::int64_t{1} << 28) * (1 + number % 7)};
  Tensor twice = tensor;
  tensor.blocks = {4};
  twice.blocks = {8};
  const Bytes half = LayoutOf(tensor).extent;
  const Bytes whole = LayoutOf(twice).extent;
  if (whole == half * 2) return std::nullopt;
  return fmt::format("homes: 4 blocks take {} bytes, 8 of them {}", half.value, whole.value);
}

// Above the floor a descriptor of twice the bytes takes longer.
std::optional<std::string> CompareDescriptors(const Target& target, std::int64_t number) {
  const Bytes bytes(4096 + number);
  const Picoseconds once = DescriptorTime(target, bytes, DescriptorKind::kContiguous);
  const Picoseconds twice = DescriptorTime(target, bytes * 2, DescriptorKind::kContiguous);
  if (twice > once) return std::nullopt;
  return fmt::format("descriptors: {} bytes take {} ps, twice as many {} ps", bytes.value,
                     once.value, twice.value);
}

// A few rows a case, all of them in turn: together they take as long as everything else.
std::optional<std::string> AskSomeRows(const AllocationProblem& problem, std::int64_t number) {
  std::vector<const PropertyRow*> rows;
  for (const PropertyRow& row : AllProperties()) {
    if (row.kind != PropertyKind::kPass) rows.push_back(&row);
  }
  constexpr std::int64_t kRowsACase = 3;
  for (std::int64_t k = 0; k < kRowsACase; ++k) {
    const PropertyRow& row = *rows[static_cast<std::size_t>(number * kRowsACase + k) % rows.size()];
    const RelationVerdict verdict = row.of_case(CaseOf(problem, number));
    if (!verdict.faults.empty()) return std::string(row.name) + ": " + verdict.faults.front();
  }
  return std::nullopt;
}

}  // namespace

void TryRelations(const TrialOptions& options, TrialLog& log) {
  EventMachine reused;
  for (std::int64_t number = options.first; number <= options.cases; ++number) {
    log.Start(number);
    const AllocationProblem problem = UnplacedProblem(number);
    const Planted planted(options.fault);
    for (const auto& fault :
         {AskSomeRows(problem, number), CompareLazyCopies(problem), CompareMachines(reused, number),
          CheckSpillCap(problem), CompareHomes(number), CompareDescriptors(problem.target, number),
          CheckOutsideIsRefused(problem.kernel), number == 1 ? CompareCampaigns() : std::nullopt}) {
      if (fault) return log.Kill("relations", number, *fault);
    }
  }
}

}  // namespace spillway
