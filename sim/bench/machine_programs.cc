#include "sim/bench/machine_programs.h"

#include <algorithm>
#include <random>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

constexpr int kStreams = kComputeStreams + kMaxDmaQueues;
constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

HwProgram MachineProgram(const MachineProgramShape& shape) {
  std::mt19937_64 random(shape.seed);
  const auto below = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  HwProgram program;
  std::vector<SemaphoreWait> waits;
  constexpr std::int64_t kRecent = 64;
  for (int i = 0; i < shape.instances; ++i) {
    waits.clear();
    for (std::int64_t w = below(3); w > 0 && i > 0; --w) {
      const std::int64_t back = 1 + below(std::min<std::int64_t>(i, kRecent));
      waits.push_back(program.Finished(InstanceId(static_cast<std::size_t>(i - back))));
    }
    const Picoseconds time(kPicosecondsPerNanosecond * (1 + below(2 * shape.mean_nanoseconds - 1)));
    if (below(100) >= shape.transfer_percent) {
      program.AddCompute(static_cast<Engine>(below(kComputeStreams)), time, waits);
      continue;
    }
    Transfer transfer;
    transfer.first_engine = static_cast<std::int32_t>(below(kMaxDmaEngines));
    transfer.descriptors = shape.full_height ? 128 : 1;
    transfer.descriptors_per_engine = 8;
    transfer.descriptor_bytes = Bytes(512);
    transfer.descriptor_time = time;
    program.AddTransfer(static_cast<int>(below(kMaxDmaQueues)), transfer, waits);
  }
  return program;
}

std::vector<std::vector<std::int64_t>> DurationsByStream(const HwProgram& program) {
  std::vector<std::vector<std::int64_t>> durations(kStreams);
  for (const HwInstance& instance : program.instances()) {
    const Picoseconds time = instance.stream.is_queue()
                                 ? program.transfers()[instance.transfer].descriptor_time
                                 : instance.time.interval;
    durations[static_cast<std::size_t>(instance.stream.value)].push_back(time.value);
  }
  return durations;
}

Kernel CopyKernel(std::int64_t copies) {
  // Few tiles that stay in the caches, so that the figure is the model's and not the memory's.
  constexpr std::int64_t kTiles = 2;
  constexpr std::int64_t kRows = 128;
  constexpr std::int64_t kColumns = 1024;
  KernelBuilder b("copies", "trn2");
  const TensorId x = b.Dram("x", DType::kBfloat16, {kTiles * kRows, kColumns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kBfloat16, {kTiles * kRows, kColumns}, Role::kOutput);
  const TensorId tiles = b.Sbuf("tiles", DType::kBfloat16, {kRows, kColumns}, {.blocks = {kTiles}});
  b.OpenLoop("round", 0, copies / kTiles);
  b.OpenLoop("tile", 0, kTiles);
  const AffineExpr tile = b.Index("tile");
  const auto rows = [&](TensorId matrix) {
    return b.Whole(matrix).Tile(tile * kRows, kRows, AffineExpr(), kColumns);
  };
  b.Copy(b.Whole(tiles).Block({tile}), rows(x));
  b.Copy(rows(y), b.Whole(tiles).Block({tile}));
  b.CloseLoop();
  b.CloseLoop();
  return b.Build();
}

}  // namespace spillway
