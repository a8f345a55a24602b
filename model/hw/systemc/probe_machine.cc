#include "model/hw/systemc/probe_machine.h"

#include <algorithm>

#include "model/hw/error.h"
#include "model/hw/systemc/machine.h"
#include "model/hw/timing/dma_transfer.h"
#include "model/hw/timing/instruction_cost.h"

namespace spillway {
namespace {

// Any duration will do for an instruction that only shows when it may start.
constexpr Picoseconds kWitness(1000);

InstanceId AddInstruction(HwProgram& program, const InstructionShape& shape, const Target& target) {
  return program.AddCompute(shape.engine, CostOf(shape, target).time, 0, {});
}

// An instruction on another engine that waits for `id`.
InstanceId AddWitness(HwProgram& program, InstanceId id, const Target& target) {
  const StreamId stream = program.instance(id).stream;
  const Engine engine = stream == StreamId::Compute(Engine::kDve) ? Engine::kAct : Engine::kDve;
  return program.AddCompute(engine, kWitness, {{program.Finished(id, target.dma_engines)}});
}

RunResult Play(const HwProgram& program, const Target& target) {
  RunResult result = Machine::Instance().Run(program, target, {}, nullptr);
  SPILLWAY_CHECK(result.outcome == RunOutcome::kFinished, "a probe runs to its end");
  return result;
}

}  // namespace

PhaseTimes ProbeInstruction(const InstructionShape& shape, const Target& target) {
  HwProgram program;
  if (shape.engine == Engine::kPe && target.pe_ramp.value > Picoseconds(0))
    program.AddCompute(Engine::kPe, target.pe_ramp, {});
  const InstanceId first = AddInstruction(program, shape, target);
  const InstanceId second = AddInstruction(program, shape, target);
  const InstanceId witness = AddWitness(program, first, target);
  const RunResult result = Play(program, target);
  const InstanceTimes& times = result.times[first.value];
  const Picoseconds exec = result.times[second.value].start - times.start;
  return {times.start - times.issue, exec, result.times[witness.value].start - times.start - exec};
}

PhaseTimes ProbeDma(std::int64_t rows, Bytes row_bytes, DescriptorKind kind, const Target& target) {
  HwProgram program;
  const InstanceId transfer =
      program.AddTransfer(0, MakeTransfer(target, rows, row_bytes, kind), {});
  const InstanceId witness = AddWitness(program, transfer, target);
  const RunResult result = Play(program, target);
  const InstanceTimes& times = result.times[transfer.value];
  return {times.start - times.issue, times.finish - times.start,
          result.times[witness.value].start - times.finish};
}

PhaseTimes ProbeAccess(Space space, Bytes bytes_per_partition, const Target& target) {
  const Bytes element = ElementSize(DType::kFloat32);
  OperandShape data{
      .name = "data", .space = space, .partitions = target.sbuf_partitions.value.value};
  data.elements = RoundUp(bytes_per_partition, element).value / element.value;
  OperandShape result = data;
  result.space = Space::kSbuf;
  PhaseTimes times = ProbeInstruction(
      {.op = "tensor_copy", .engine = Engine::kDve, .inputs = {data}, .outputs = {result}}, target);
  times.write_drain -= std::min(times.write_drain, target.semaphore_latency.value);
  return times;
}

}  // namespace spillway
