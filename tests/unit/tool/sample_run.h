// A finished run, made by hand, for tests of reports.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>

#include "model/alloc/ir/kernel_builder.h"
#include "model/hw/target.h"
#include "sim/tool/pipeline.h"

namespace spillway {

inline constexpr std::int64_t kMicrosecond = 1'000'000;  // in picoseconds

/// SBUF of the sample, 2,048 bytes a partition; instance i runs from i to i + 1 µs.
///
///     byte
///     2048 +-------------------------
///          |    low (partitions 32-63)
///     1024 |    [1 ................ 7)
///          |        copy (0-127)
///      512 |        [2 ........ 6)
///          | a (0-127)
///        0 | [0 ........ 4)
///          +-------------------------- point = instance = µs
///            0  1   2    3   4   5   6
///            load copy reload mm copy save store
///
/// PSUM: p holds a quarter of bank 1 from 3 to 5.
struct SampleNames {
  std::string kernel = "sample";
  std::string tensor = "a";
  std::string source = "kernel.py:12";
};

inline Kernel SampleKernel(const SampleNames& names) {
  KernelBuilder b(names.kernel, "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, 128}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {32, 64}, Role::kOutput);
  const TensorId home = b.Dram("home", DType::kFloat32, {128, 128});
  const TensorId a = b.Sbuf(names.tensor, DType::kFloat32, {128, 128});
  const TensorId low =
      b.Sbuf("low", DType::kFloat32, {32, 64}, {.at = {{Partition(32), ByteOffset(1024)}}});
  const TensorId copy = b.Sbuf("copy", DType::kFloat32, {128, 128});
  const TensorId p = b.Psum("p", DType::kFloat32, {128, 128});
  b.Copy(b.Whole(a), b.Whole(x)).Source(names.source);
  b.Copy(b.Whole(low), b.Whole(a).Partitions(32, 32).Elements(0, 64));
  b.Copy(b.Whole(copy), b.Whole(home)).Spill(SpillRole::kReload);
  b.Instruction("nc_matmul")
      .Out("dst", b.Whole(p))
      .In("stationary", b.Whole(a))
      .In("moving", b.Whole(copy));
  b.Copy(b.Whole(copy), b.Whole(p));
  b.Copy(b.Whole(home), b.Whole(copy)).Spill(SpillRole::kSave);
  b.Copy(b.Whole(y), b.Whole(low));
  return b.Build();
}

/// Seven instances on two engines and four queues, a microsecond each.
inline SimReport SampleSimulation(const Kernel& kernel) {
  SimReport report;
  HwProgram& program = report.lowered.program;
  const auto transfer = [&](int queue, DmaRole role, std::int64_t bytes) {
    program.AddTransfer(queue,
                        {.role = role,
                         .descriptors = 128,
                         .descriptor_bytes = Bytes(bytes),
                         .descriptor_time = Picoseconds(1),
                         .descriptor_latency = Picoseconds(1)},
                        {});
  };
  const Picoseconds duration(kMicrosecond);
  transfer(0, DmaRole::kData, 512);
  program.AddCompute(Engine::kDve, duration, {});
  transfer(2, DmaRole::kReload, 512);
  program.AddCompute(Engine::kPe, duration, {});
  program.AddCompute(Engine::kDve, duration, {});
  transfer(3, DmaRole::kSave, 512);
  transfer(1, DmaRole::kData, 64);
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    report.lowered.sequence.instances.push_back({InstructionId(i), 0});
    const auto begin = static_cast<std::int64_t>(i) * kMicrosecond;
    report.run.times.push_back(
        {Picoseconds(begin), Picoseconds(begin), Picoseconds(begin + kMicrosecond)});
  }
  report.run.makespan = Picoseconds(7 * kMicrosecond);
  report.run.busy = {Picoseconds(kMicrosecond),     Picoseconds(0), Picoseconds(0),
                     Picoseconds(2 * kMicrosecond), Picoseconds(0), Picoseconds(0)};
  report.dma_transfers = 4;
  report.dma_bytes = Bytes(128 * (3 * 512 + 64));
  return report;
}

inline KernelRun SampleRun(const SampleNames& names = {}) {
  KernelRun run;
  run.target = *FindTarget("trn2");
  Allocation allocation;
  allocation.kernel = SampleKernel(names);
  allocation.placement = FixedPlacement(allocation.kernel);
  const std::array<std::pair<int, std::int64_t>, 3> places = {{{3, 0}, {5, 512}, {6, 2048}}};
  for (const auto& [tensor, byte] : places) {
    allocation.placement.addresses[TensorId(tensor)] = {{Partition(0), ByteOffset(byte)}};
  }
  run.simulation = SampleSimulation(allocation.kernel);
  run.allocation = std::move(allocation);
  RunReport& report = run.report;
  report.file = "sample.kernel.jsonl";
  report.kernel = names.kernel;
  report.target = "trn2";
  report.allocator = "coloring";
  report.instructions = 7;
  report.tensors = 7;
  report.cycles = 9800;
  report.nanoseconds = 7000;
  report.engines = {{"pe", 1.0 / 7},  {"act", 0.0}, {"pool", 0.0},
                    {"dve", 2.0 / 7}, {"sp", 0.0},  {"dma", 0.1}};
  report.spill.tensors = 1;
  report.spill.saves = 1;
  report.spill.reloads = 1;
  report.spill.saved_bytes = Bytes(65536);
  report.spill.reloaded_bytes = Bytes(65536);
  report.spill.predicted_cycles = 2500;
  report.spill.measured_cycles = 2800;
  report.spill.per_tensor = {{"copy", 2500.0}};
  report.sbuf.capacity_bytes = Bytes(2048);
  report.sbuf.high_water_bytes = Bytes(1280);
  report.psum.banks = BankCount(8);
  report.psum.peak_banks = BankCount(1);
  report.checks = {{"overlap", 3, {}}, {"data", 8192, {}}};
  report.data.mode = "numeric";
  report.data.compared_bytes = 8192;
  return run;
}

}  // namespace spillway
