#include "properties/rotating_kernel.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

constexpr std::size_t kBytesPerBuffer = 3;

// Tiles lie one behind the other; each fills granules, so that the next one starts at one.
constexpr std::array<std::int64_t, 8> kRows = {4, 8, 12, 16, 20, 24, 28, 32};
constexpr std::int64_t kPartitions = 128;

struct Buffer {
  TensorId tensor;
  std::int64_t skew = 1;
  std::int64_t row = 0;  ///< elements of a partition
};

}  // namespace

AllocationProblem DecodeRotating(std::span<const std::uint8_t> bytes) {
  const auto at = [&](std::size_t i) -> std::uint8_t { return i < bytes.size() ? bytes[i] : 0; };
  AllocationProblem problem;
  problem.target = FindTarget("trn2").value();
  problem.psum_banks = UsablePsumBanks(problem.target);
  const std::int64_t trips = 3 + at(0) % 4;
  KernelBuilder builder("rotating", "trn2");
  std::vector<Buffer> buffers;
  ByteOffset next(0);
  const std::size_t count = 1 + at(1) % 3;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t from = 2 + b * kBytesPerBuffer;
    const std::int64_t row = kRows[at(from) % kRows.size()];
    const std::int64_t skew = 1 + at(from + 1) % 2;
    // The block that is written and those that still wait for their reader.
    const std::int64_t slots = 1 + skew + at(from + 2) % 2;
    TensorOptions options;
    options.blocks = {trips};
    options.alloc = ModuloLaw{.base_addr = next, .num_free_tiles = {slots}};
    buffers.push_back({builder.Sbuf(fmt::format("ring{}", b), DType::kBfloat16, {kPartitions, row},
                                    std::move(options)),
                       skew, row});
    next = next + ElementSize(DType::kBfloat16) * row * slots;
  }
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  for (std::size_t b = 0; b < count; ++b) {
    const std::vector<std::int64_t> shape = {trips * kPartitions, buffers[b].row};
    inputs.push_back(builder.Dram(fmt::format("x{}", b), DType::kBfloat16, shape, Role::kInput));
    outputs.push_back(builder.Dram(fmt::format("y{}", b), DType::kBfloat16, shape, Role::kOutput));
  }
  builder.OpenLoop("i", 0, trips);
  const AffineExpr i = builder.Index("i");
  for (std::size_t b = 0; b < count; ++b) {
    const Buffer& buffer = buffers[b];
    builder.Copy(builder.Whole(buffer.tensor).Block({i}),
                 builder.Whole(inputs[b]).Tile(i * kPartitions, kPartitions, 0, buffer.row));
    const AffineExpr late = i - buffer.skew;
    builder
        .Copy(builder.Whole(outputs[b]).Tile(late * kPartitions, kPartitions, 0, buffer.row),
              builder.Whole(buffer.tensor).Block({late}))
        .When(AtLeast(i, buffer.skew));
  }
  builder.CloseLoop();
  problem.kernel = builder.Build();
  problem.sbuf_bytes = next - ByteOffset(0);
  return problem;
}

}  // namespace spillway
