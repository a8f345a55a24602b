#include "sim/tool/csv_tables.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "sim/tool/csv_row.h"
#include "sim/tool/placed_blocks.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, kBlockKindCount> kKinds = {"ordinary", "working-copy",
                                                                  "fixed"};

std::string Number(std::int64_t value) { return std::to_string(value); }

std::string_view SpillName(SpillRole role) {
  return role == SpillRole::kSave ? "save" : role == SpillRole::kReload ? "reload" : "";
}

// Compute engine, DMA queue, or the spill role of the instance that first wrote a block.
std::string SourceType(const KernelRun& run, InstanceId id) {
  const Instruction& instruction = InstructionOf(run, id);
  if (instruction.spill != SpillRole::kNone)
    return fmt::format("spill-{}", SpillName(instruction.spill));
  return run.simulation->lowered.program.instance(id).stream.is_queue() ? "dma" : "compute";
}

std::string QueueName(const KernelRun& run, InstanceId id) {
  const StreamId stream = run.simulation->lowered.program.instance(id).stream;
  return stream.is_queue() ? StreamName(stream) : "";
}

// Memory and name of the first operand of a side of an instruction.
struct End {
  std::string space;
  std::string tensor;
};
End EndOf(const Kernel& kernel, const std::vector<OperandGroup>& groups) {
  for (const OperandGroup& group : groups) {
    if (group.operands.empty()) continue;
    const Tensor& tensor = kernel.tensors[group.operands.front().tensor];
    return {std::string(SpaceName(tensor.space)), tensor.name};
  }
  return {};
}

Result<void> CannotWrite(const std::string& path) {
  return Fail({Kind::kFile, "cannot-write", "can't write " + path, path, 0});
}

}  // namespace

void PutSbufAllocation(std::ostream& out, const KernelRun& run) {
  PutCsvRow(out, {"start_ts", "end_ts", "start_address", "end_address", "partition",
                  "op_source_type", "opcode", "queue_name", "tensor_name", "block", "partitions",
                  "kind", "start_point", "end_point"});
  for (const PlacedBlock& block : PlacedBlocks(run)) {
    if (block.space != Space::kSbuf) continue;
    const auto& [partitions, bytes] = block.where;
    const std::optional<InstanceId> writer = block.first_writer;
    PutCsvRow(
        out,
        {block.time ? BeginNanoseconds(block.time->begin) : "",
         block.time ? EndNanoseconds(block.time->end) : "", Number(bytes.begin.value),
         Number(bytes.end.value - 1), Number(partitions.begin.value),
         writer ? SourceType(run, *writer) : "", writer ? InstructionOf(run, *writer).op : "",
         writer ? QueueName(run, *writer) : "", run.allocation->kernel.tensors[block.tensor].name,
         Number(block.block), Number((partitions.end - partitions.begin).value),
         std::string(kKinds[static_cast<std::size_t>(block.kind)]), Number(block.life.begin.value),
         Number(block.life.end.value)});
  }
}

void PutDma(std::ostream& out, const KernelRun& run) {
  PutCsvRow(out,
            {"queue_name", "role", "bytes", "descriptors", "issue_ts", "start_ts", "end_ts",
             "opcode", "src_space", "src_tensor", "dst_space", "dst_tensor", "src", "instance"});
  if (!run.simulation || !run.allocation) return;
  const HwProgram& program = run.simulation->lowered.program;
  for (std::size_t i = 0; i < program.instances().size(); ++i) {
    const InstanceId id(i);
    if (!program.instance(id).stream.is_queue()) continue;
    const Transfer& transfer = program.TransferOf(id);
    const InstanceTimes& times = run.simulation->run.times[i];
    const Instruction& instruction = InstructionOf(run, id);
    const End from = EndOf(run.allocation->kernel, instruction.inputs);
    const End to = EndOf(run.allocation->kernel, instruction.outputs);
    PutCsvRow(out,
              {QueueName(run, id), std::string(DmaRoleName(transfer.role)),
               Number(transfer.descriptor_bytes.value * transfer.descriptors),
               Number(transfer.descriptors), BeginNanoseconds(times.issue),
               BeginNanoseconds(times.start), EndNanoseconds(times.finish), instruction.op,
               from.space, from.tensor, to.space, to.tensor, instruction.src, Number(id.value)});
  }
}

void PutInstructions(std::ostream& out, const KernelRun& run) {
  PutCsvRow(out, {"start_ts", "end_ts", "duration", "engine", "queue_name", "opcode", "spill",
                  "src", "instance", "instruction"});
  if (!run.simulation || !run.allocation) return;
  const LoweredKernel& lowered = run.simulation->lowered;
  for (std::size_t i = 0; i < lowered.sequence.size(); ++i) {
    const InstanceId id(i);
    const InstanceTimes& times = run.simulation->run.times[i];
    const bool ended = times.start.value >= 0 && times.finish.value >= 0;
    const Instruction& instruction = InstructionOf(run, id);
    const StreamId stream = lowered.program.instance(id).stream;
    PutCsvRow(out, {BeginNanoseconds(times.start), EndNanoseconds(times.finish),
                    ended ? EndNanoseconds(times.finish - times.start) : "",
                    stream.is_queue() ? "dma" : StreamName(stream), QueueName(run, id),
                    instruction.op, std::string(SpillName(instruction.spill)), instruction.src,
                    Number(id.value), Number(lowered.sequence.instances[i].instruction.value)});
  }
}

Result<void> WriteTables(const KernelRun& run, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return CannotWrite(directory);
  struct Table {
    const char* name;
    void (*put)(std::ostream&, const KernelRun&);
  };
  constexpr std::array<Table, 6> kTables = {{{"SbufAllocation.csv", PutSbufAllocation},
                                             {"SbufUsage.csv", PutSbufUsage},
                                             {"PsumUsage.csv", PutPsumUsage},
                                             {"Dma.csv", PutDma},
                                             {"Instructions.csv", PutInstructions},
                                             {"Summary.csv", PutSummary}}};
  for (const Table& table : kTables) {
    const std::string path = (std::filesystem::path(directory) / table.name).string();
    std::ofstream file(path, std::ios::binary);
    table.put(file, run);
    if (!file.flush()) return CannotWrite(path);
  }
  return {};
}

}  // namespace spillway
