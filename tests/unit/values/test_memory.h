// A memory for tests: rows lie apart by more than their length, at odd addresses, so that a wrong
// stride or an assumption about alignment shows.
#pragma once

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "sim/values/convert.h"
#include "sim/values/value_model.h"

namespace spillway {

class TestMemory final : public MemoryView {
 public:
  explicit TestMemory(const Kernel& kernel) : kernel_(kernel) {
    for (std::size_t i = 0; i < kernel.tensors.size(); ++i) {
      const TensorId id(i);
      storage_.emplace_back(static_cast<std::size_t>(Blocks(id) * Rows(id) * Stride(id) + kMargin),
                            kUntouched);
    }
  }

  BlockView Block(TensorId tensor, std::int64_t block) override {
    std::byte* base =
        storage_[tensor.value].data() + kMargin + block * Rows(tensor) * Stride(tensor);
    const bool dram = kernel_.tensors[tensor].space == Space::kDram;
    return {base, dram ? 0 : Stride(tensor)};
  }

  /// Packed bytes of all blocks and rows.
  std::vector<std::byte> Bytes(TensorId tensor) {
    std::vector<std::byte> packed;
    ForEachRow(tensor, [&](std::byte* row, std::size_t bytes) {
      packed.insert(packed.end(), row, row + bytes);
    });
    return packed;
  }

  void SetBytes(TensorId tensor, std::span<const std::byte> packed) {
    std::size_t at = 0;
    ForEachRow(tensor, [&](std::byte* row, std::size_t bytes) {
      std::memcpy(row, packed.subspan(at, bytes).data(), bytes);
      at += bytes;
    });
    EXPECT_EQ(at, packed.size());
  }

  std::vector<float> Floats(TensorId tensor) {
    const std::vector<std::byte> packed = Bytes(tensor);
    std::vector<float> values(packed.size() / ElementBytes(tensor));
    DecodeElements(kernel_.tensors[tensor].dtype, packed, values);
    return values;
  }

  void SetFloats(TensorId tensor, const std::vector<float>& values) {
    std::vector<std::byte> packed(values.size() * ElementBytes(tensor));
    EncodeElements(kernel_.tensors[tensor].dtype, values, packed);
    SetBytes(tensor, packed);
  }

  /// Random values in [-2, 2), rounded to the tensor's dtype; returns them.
  std::vector<float> Randomize(TensorId tensor, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<float> values(Bytes(tensor).size() / ElementBytes(tensor));
    for (float& value : values) value = static_cast<float>(generator() % 4096) / 1024.0f - 2.0f;
    SetFloats(tensor, values);
    return Floats(tensor);
  }

 private:
  static constexpr std::int64_t kMargin = 3;
  static constexpr std::byte kUntouched{0xee};

  std::size_t ElementBytes(TensorId tensor) const {
    return static_cast<std::size_t>(ElementSize(kernel_.tensors[tensor].dtype).value);
  }
  std::int64_t Blocks(TensorId tensor) const { return BlockCount(kernel_.tensors[tensor]); }
  std::int64_t Rows(TensorId tensor) const {
    const Tensor& t = kernel_.tensors[tensor];
    return t.space == Space::kDram ? 1 : Partitions(t).value;
  }
  std::int64_t Stride(TensorId tensor) const {
    const Tensor& t = kernel_.tensors[tensor];
    return BlockBytes(t).value + (t.space == Space::kDram ? 0 : 7);
  }

  template <class Visit>
  void ForEachRow(TensorId tensor, Visit visit) {
    const auto bytes = static_cast<std::size_t>(BlockBytes(kernel_.tensors[tensor]).value);
    for (std::int64_t block = 0; block < Blocks(tensor); ++block) {
      const BlockView view = Block(tensor, block);
      for (std::int64_t row = 0; row < Rows(tensor); ++row) {
        visit(view.base + row * view.partition_stride, bytes);
      }
    }
  }

  const Kernel& kernel_;
  std::vector<std::vector<std::byte>> storage_;
};

/// Runs every instruction once, in order, as if all loop variables were 0.
inline void RunAll(const Kernel& kernel, MemoryView& memory, ValueMode mode = ValueMode::kNumeric) {
  const std::vector<std::int64_t> loop_values(kernel.loops.size(), 0);
  for (const Instruction& instruction : kernel.instructions) {
    const InstructionResult result = Compute(kernel, instruction, loop_values, mode, memory);
    Commit(kernel, instruction, loop_values, result, memory);
  }
}

inline const Instruction& Only(const Kernel& kernel) {
  return kernel.instructions[InstructionId(0)];
}

}  // namespace spillway
