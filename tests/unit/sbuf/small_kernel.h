// Kernels of bytes, one line a statement.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/print_kernel.h"
#include "model/hw/hwm.h"

namespace spillway {

/// An oracle whose numbers are easy to follow: a DRAM access costs 100 cycles and one a byte, an
/// SBUF access 1 cycle and a tenth of that.
class RoundNumbers final : public Hwm {
 public:
  std::string Name() const override { return "round numbers"; }
  Cycles Latency(Space space, AccessShape shape) const override {
    const std::int64_t bytes = shape.bytes_per_partition.value;
    return space == Space::kDram ? Cycles(100 + bytes) : Cycles(1 + bytes / 10);
  }
  Result<InstructionLatency> Latency(const InstructionShape& /*shape*/) const override {
    return InstructionLatency{Cycles(1), Cycles(10), Cycles(0)};
  }
};

/// Tensors of uint8, so that elements are bytes; `x` is an input and `y` an output in DRAM.
class SmallKernel {
 public:
  SmallKernel() : b("small", "trn2") {
    x = b.Dram("x", DType::kUint8, {1 << 20}, Role::kInput);
    y = b.Dram("y", DType::kUint8, {1 << 20}, Role::kOutput);
  }

  TensorId Sbuf(std::string name, std::int64_t bytes, std::int64_t partitions = 128,
                TensorOptions options = {}) {
    return b.Sbuf(std::move(name), DType::kUint8, {partitions, bytes}, std::move(options));
  }

  InstructionBuilder Write(const Operand& dst) { return b.Instruction("memset").Out("dst", dst); }
  InstructionBuilder Write(TensorId dst) { return Write(Operand(b.Whole(dst))); }
  InstructionBuilder Load(TensorId dst) {
    const Operand whole = b.Whole(dst);
    return b.Copy(whole, b.Whole(x).Elements(0, whole.partition_count * Free(whole)));
  }
  InstructionBuilder Read(const Operand& src) {
    return b.Copy(b.Whole(y).Elements(0, src.partition_count * Free(src)), src);
  }
  InstructionBuilder Read(TensorId src) { return Read(Operand(b.Whole(src))); }
  /// dst = f(a, b)
  InstructionBuilder Combine(const Operand& dst, const Operand& a, const Operand& c) {
    return b.Instruction("combine").Out("dst", dst).In("data0", a).In("data1", c);
  }
  InstructionBuilder Combine(TensorId dst, TensorId a, TensorId c) {
    return Combine(Operand(b.Whole(dst)), Operand(b.Whole(a)), Operand(b.Whole(c)));
  }
  void Loop(const std::string& name, std::int64_t trips) { b.OpenLoop(name, 0, trips); }
  void End() { b.CloseLoop(); }
  AffineExpr Index(const std::string& loop) const { return b.Index(loop); }

  Kernel Build() const { return b.Build(); }
  LinearKernel Linear() const { return Linearize(b.Build()); }

  KernelBuilder b;
  TensorId x;
  TensorId y;

 private:
  static std::int64_t Free(const Operand& operand) {
    std::int64_t count = 1;
    for (const FreeDim& dim : operand.free_dims) count *= dim.count;
    return count;
  }
};

/// The body of a kernel as text: what follows the tensors' lines.
inline std::string BodyText(const Kernel& kernel) {
  const std::string text = PrintKernel(kernel);
  std::string body = "\n";
  std::size_t line_start = 0;
  std::size_t line = 0;
  while (line_start < text.size()) {
    const std::size_t end = text.find('\n', line_start);
    if (line > kernel.tensors.size()) body += text.substr(line_start, end - line_start) + "\n";
    line_start = end + 1;
    ++line;
  }
  return body;
}

inline TensorId Named(const Kernel& kernel, const std::string& name) {
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    if (kernel.tensors[TensorId(t)].name == name) return TensorId(t);
  }
  SPILLWAY_CHECK(false, "no tensor of that name");
  return {};
}

}  // namespace spillway
