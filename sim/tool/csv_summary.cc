#include <fmt/format.h>

#include <array>

#include "sim/tool/csv_row.h"
#include "sim/tool/csv_tables.h"
#include "sim/tool/placed_blocks.h"

namespace spillway {
namespace {

using Field = std::pair<std::string, std::string>;

std::string Number(std::int64_t value) { return std::to_string(value); }

bool Touches(const Kernel& kernel, const std::vector<OperandGroup>& groups, Space space) {
  for (const OperandGroup& group : groups) {
    for (const Operand& operand : group.operands) {
      if (kernel.tensors[operand.tensor].space == space) return true;
    }
  }
  return false;
}

// Bytes of finished transfers that read, or write, DRAM.
struct HbmTraffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
};
HbmTraffic TrafficOf(const KernelRun& run) {
  HbmTraffic traffic;
  const HwProgram& program = run.simulation->lowered.program;
  for (std::size_t i = 0; i < program.instances().size(); ++i) {
    const InstanceId id(i);
    if (!program.instance(id).stream.is_queue() || !TimesOf(*run.simulation, id)) continue;
    const Transfer& transfer = program.TransferOf(id);
    const std::int64_t bytes = transfer.descriptors * transfer.descriptor_bytes.value;
    const Instruction& instruction = InstructionOf(run, id);
    if (Touches(run.allocation->kernel, instruction.inputs, Space::kDram)) traffic.read += bytes;
    if (Touches(run.allocation->kernel, instruction.outputs, Space::kDram))
      traffic.written += bytes;
  }
  return traffic;
}

std::vector<Field> DmaFields(const KernelRun& run) {
  if (!run.simulation || !run.allocation) {
    return {{"dma_active_time", ""},    {"dma_active_time_percent", ""},
            {"dma_transfer_count", ""}, {"dma_transfer_average_bytes", ""},
            {"hbm_read_bytes", ""},     {"hbm_write_bytes", ""}};
  }
  const SimReport& simulation = *run.simulation;
  constexpr std::array<DmaRole, kDmaRoleCount> kRoles = {DmaRole::kData, DmaRole::kSave,
                                                         DmaRole::kReload};
  const Picoseconds whole = simulation.run.makespan;
  const Picoseconds active =
      TimeInFlight(simulation.lowered.program, simulation.run.times, kRoles, whole);
  const HbmTraffic traffic = TrafficOf(run);
  return {
      {"dma_active_time", EndNanoseconds(active)},
      {"dma_active_time_percent",
       CsvPercent(whole.value > 0
                      ? 100.0 * static_cast<double>(active.value) / static_cast<double>(whole.value)
                      : 0)},
      {"dma_transfer_count", Number(simulation.dma_transfers)},
      {"dma_transfer_average_bytes",
       Number(simulation.dma_transfers > 0 ? simulation.dma_bytes.value / simulation.dma_transfers
                                           : 0)},
      {"hbm_read_bytes", Number(traffic.read)},
      {"hbm_write_bytes", Number(traffic.written)}};
}

// The profiler's names of the compute engines, in the order of `Engine`.
constexpr std::array<std::string_view, kEngineCount - 1> kEngineNames = {
    "tensor", "scalar", "gpsimd", "vector", "sync"};

}  // namespace

void PutSummary(std::ostream& out, const KernelRun& run) {
  const RunReport& report = run.report;
  const SpillReport& spill = report.spill;
  const bool simulated = run.simulation.has_value();
  const auto measured = [simulated](std::int64_t value) {
    return simulated ? Number(value) : std::string();
  };
  std::vector<Field> fields{
      {"kernel", report.kernel},
      {"target", report.target},
      {"allocator", report.allocator},
      {"verdict", std::string(VerdictName(report.verdict))},
      {"is_simulation", "true"},
      {"total_time", measured(report.nanoseconds)},
      {"total_cycles", measured(report.cycles)},
      {"instruction_count", Number(report.instructions)},
      {"tensor_count", Number(report.tensors)},
      {"spill_tensor_count", Number(spill.tensors)},
      {"spill_save_count", measured(spill.saves)},
      {"spill_save_bytes", measured(spill.saved_bytes.value)},
      {"spill_reload_count", measured(spill.reloads)},
      {"spill_reload_bytes", measured(spill.reloaded_bytes.value)},
      {"spill_predicted_cycles", fmt::format("{:.3f}", spill.predicted_cycles)},
      {"spill_measured_cycles", measured(spill.measured_cycles)}};
  for (Field& field : DmaFields(run)) fields.push_back(std::move(field));
  for (std::size_t e = 0; e < kEngineNames.size(); ++e) {
    fields.emplace_back(fmt::format("{}_engine_active_time", kEngineNames[e]),
                        simulated ? EndNanoseconds(run.simulation->run.busy[e]) : "");
  }
  fields.emplace_back("sbuf_high_water_bytes", Number(report.sbuf.high_water_bytes.value));
  fields.emplace_back("psum_peak_banks", Number(report.psum.peak_banks.value));
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (Field& field : fields) {
    names.push_back(std::move(field.first));
    values.push_back(std::move(field.second));
  }
  PutCsvRow(out, names);
  PutCsvRow(out, values);
}

}  // namespace spillway
