#include "sim/exec/executor.h"

#include <fmt/format.h>

#include <new>

#include "model/hw/clock.h"
#include "model/hw/systemc/machine.h"
#include "sim/exec/deadlock.h"
#include "sim/exec/kernel_effects.h"

namespace spillway {
namespace {

std::optional<Error> CheckInputs(const Kernel& kernel, const Inputs& inputs) {
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.role != Role::kInput && tensor.role != Role::kConstant) continue;
    const auto found = inputs.find(tensor.name);
    if (found == inputs.end()) {
      return Error{Kind::kUnknownName, "missing-input",
                   fmt::format("no data for the input {}", tensor.name), "", 0};
    }
    const Result<std::int64_t> bytes = TensorBytes(tensor, kDataLimit);
    if (!bytes) return bytes.error();
    if (static_cast<std::int64_t>(found->second.bytes.size()) != *bytes) {
      return Error{Kind::kShape, "input-size",
                   fmt::format("the input {} has {} bytes; its data has {}", tensor.name, *bytes,
                               found->second.bytes.size()),
                   "", 0};
    }
  }
  return std::nullopt;
}

Error TooMuchMemory(const Kernel& kernel, Bytes dram) {
  return {Kind::kLimit, "machine-memory",
          fmt::format(
              "{}: {} bytes of DRAM are too much to simulate with data; run it with --values none",
              kernel.name, dram.value),
          "", 0};
}

void Summarize(SimReport& report, const Target& target) {
  constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
  const RunResult& run = report.run;
  report.cycles = CyclesIn(run.makespan, target.reference_hertz);
  report.nanoseconds =
      (run.makespan.value + kPicosecondsPerNanosecond - 1) / kPicosecondsPerNanosecond;
  for (std::size_t e = 0; e < run.busy.size() && run.makespan > Picoseconds(0); ++e) {
    const std::int64_t units =
        static_cast<Engine>(e) == Engine::kDma ? target.dma_engines.value : 1;
    report.busy_share[e] = static_cast<double>(run.busy[e].value) /
                           (static_cast<double>(units) * static_cast<double>(run.makespan.value));
  }
  for (const DmaTraffic& traffic : run.traffic) {
    report.dma_transfers += traffic.transfers;
    report.dma_bytes += traffic.bytes;
  }
  const DmaTraffic& saves = run.traffic[static_cast<std::size_t>(DmaRole::kSave)];
  const DmaTraffic& reloads = run.traffic[static_cast<std::size_t>(DmaRole::kReload)];
  report.spill = {saves.transfers, reloads.transfers, saves.bytes, reloads.bytes,
                  CyclesIn(run.spill_in_flight, target.reference_hertz)};
}

}  // namespace

Result<SimReport> Execute(const Kernel& kernel, const Placement& placement, const Target& target,
                          ValueMode mode, const Inputs& inputs, const ExecuteOptions& options) {
  const bool with_data = mode != ValueMode::kNone;
  if (with_data) {
    if (const std::optional<Error> error = CheckInputs(kernel, inputs)) return Fail(*error);
  }
  Result<LoweredKernel> lowered = LowerKernel(kernel, placement, target, options.lower);
  if (!lowered) return Fail(lowered.error());
  SimReport report;
  report.lowered = std::move(*lowered);
  const MemoryUse& use = report.lowered.memory.use;
  if (with_data && use.dram > Bytes(kDataLimit)) return Fail(TooMuchMemory(kernel, use.dram));
  try {
    std::optional<KernelEffects> effects;
    if (with_data) effects.emplace(kernel, report.lowered, mode, inputs);
    report.run = Machine::Instance().Run(report.lowered.program, target, use,
                                         effects ? &*effects : nullptr, {options.watchdog});
    if (effects) report.outputs = effects->TakeOutputs();
  } catch (const std::bad_alloc&) {
    return Fail(TooMuchMemory(kernel, use.dram));
  }
  Summarize(report, target);
  report.violations = DeadlockViolations(kernel, report.lowered, report.run);
  return report;
}

}  // namespace spillway
