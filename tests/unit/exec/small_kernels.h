// Placed kernels for the executor's tests.
#pragma once

#include <string>
#include <string_view>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/placement.h"
#include "model/hw/target.h"
#include "sim/exec/executor.h"
#include "sim/values/reference_interpreter.h"

namespace spillway {

inline const Target& Trn2() {
  static const Target target = FindTarget("trn2").value();
  return target;
}

inline constexpr std::int64_t kColumns = 64;

inline TensorOptions AtByte(std::int64_t byte) {
  return {.at = {{Partition(0), ByteOffset(byte)}}};
}

/// Loads `count` tiles of x one after the other into one slot, adds each to a running sum, and
/// stores the sum after every step:
///
///     load slot <- x[i]; sum = sum + slot; store y[i] <- sum
///
/// `slots` tensors take turns; with `shared` they all lie at the same bytes, so that the placement
/// alone orders them.
inline Kernel RunningSum(int count, int slots, bool shared) {
  KernelBuilder b("running_sum", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {count * 128, kColumns}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {count * 128, kColumns}, Role::kOutput);
  const TensorId sum = b.Sbuf("sum", DType::kFloat32, {128, kColumns}, AtByte(0));
  std::vector<TensorId> slot;
  for (int s = 0; s < slots; ++s) {
    slot.push_back(b.Sbuf("slot" + std::to_string(s), DType::kFloat32, {128, kColumns},
                          AtByte(4096 + (shared ? 0 : s * 256))));
  }
  b.Instruction("memset").Out("dst", b.Whole(sum)).Attr("value", 0.0);
  for (int i = 0; i < count; ++i) {
    const TensorId tile = slot[static_cast<std::size_t>(i % slots)];
    b.Copy(b.Whole(tile), b.Whole(x).Tile(i * 128, 128, 0, kColumns));
    b.Instruction("tensor_tensor")
        .Out("dst", b.Whole(sum))
        .In("data1", b.Whole(sum))
        .In("data2", b.Whole(tile))
        .Attr("op", "add");
    b.Copy(b.Whole(y).Tile(i * 128, 128, 0, kColumns), b.Whole(sum));
  }
  return b.Build();
}

inline Result<SimReport> Simulate(const Kernel& kernel, ValueMode mode,
                                  const ExecuteOptions& options = {},
                                  const Target& target = Trn2()) {
  return Execute(kernel, FixedPlacement(kernel), target, mode, GenerateInputs(kernel, 7).value(),
                 options);
}

inline NamedData Reference(const Kernel& kernel, ValueMode mode) {
  return Interpret(kernel, mode, GenerateInputs(kernel, 7).value()).value().dram;
}

}  // namespace spillway
