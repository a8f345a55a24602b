#include "properties/rotating_kernel.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "properties/modulo_placement.h"

namespace spillway {
namespace {

constexpr std::size_t kBytesPerBuffer = 3;

struct Buffer {
  TensorId tensor;
  std::int64_t skew = 1;
  std::int64_t row = 0;  ///< elements of a partition
};

Tensor Shaped(std::string name, std::uint8_t size, std::int64_t trips) {
  constexpr std::array<std::int64_t, 8> kElements = {4, 8, 5, 16, 7, 2, 12, 9};
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.dtype = DType::kBfloat16;
  tensor.shape = {128, kElements[size % kElements.size()]};
  tensor.blocks = {trips};
  return tensor;
}

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
    Tensor tensor = Shaped(fmt::format("ring{}", b), at(from), trips);
    const std::int64_t skew = 1 + at(from + 1) % 2;
    const ModuloPlacement placement =
        PlaceModulo(tensor, next, DepthFor(skew) + at(from + 2) % 2, problem.target.sbuf_granule);
    tensor.at = AddressesOf(placement, tensor);
    next = EndOf(placement);
    const std::int64_t row = tensor.shape.back();
    buffers.push_back({builder.Add(std::move(tensor)), skew, row});
  }
  constexpr std::int64_t kRows = 128;
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  for (std::size_t b = 0; b < count; ++b) {
    const std::vector<std::int64_t> shape = {trips * kRows, buffers[b].row};
    inputs.push_back(builder.Dram(fmt::format("x{}", b), DType::kBfloat16, shape, Role::kInput));
    outputs.push_back(builder.Dram(fmt::format("y{}", b), DType::kBfloat16, shape, Role::kOutput));
  }
  builder.OpenLoop("i", 0, trips);
  const AffineExpr i = builder.Index("i");
  for (std::size_t b = 0; b < count; ++b) {
    const Buffer& buffer = buffers[b];
    builder.Copy(builder.Whole(buffer.tensor).Block({i}),
                 builder.Whole(inputs[b]).Tile(i * kRows, kRows, 0, buffer.row));
    const AffineExpr late = i - buffer.skew;
    builder
        .Copy(builder.Whole(outputs[b]).Tile(late * kRows, kRows, 0, buffer.row),
              builder.Whole(buffer.tensor).Block({late}))
        .When(AtLeast(i, buffer.skew));
  }
  builder.CloseLoop();
  problem.kernel = builder.Build();
  problem.sbuf_bytes = next - ByteOffset(0);
  return problem;
}

}  // namespace spillway
