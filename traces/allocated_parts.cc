#include "traces/allocated_parts.h"

#include <utility>

namespace spillway {

KernelBuilder BeginAllocated(std::string name, std::string target, std::string shape) {
  KernelBuilder b(std::move(name), std::move(target));
  b.Origin("project", "spillway");
  b.Origin("licence", "Apache-2.0");
  b.Origin("shape", std::move(shape));
  return b;
}

void FillIdentity(KernelBuilder& b, TensorId identity) {
  Fill(b, b.Whole(identity), 1.0);
  b.Instruction("affine_select")
      .On(Engine::kPool)
      .Out("dst", b.Whole(identity))
      .In("on_true_tile", b.Whole(identity))
      .Attr("pattern", AttrValue::List{AttrValue(AttrValue::List{-1, kTileRows})})
      .Attr("offset", 0)
      .Attr("channel_multiplier", 1)
      .Attr("cmp_op", "equal")
      .Attr("on_false_value", 0.0);
}

void Fill(KernelBuilder& b, const Operand& dst, double value) {
  b.Instruction("memset").Out("dst", dst).Attr("value", value);
}

void Transpose(KernelBuilder& b, const Operand& dst, const Operand& src, TensorId identity) {
  b.Instruction("nc_matmul")
      .On(Engine::kPe)
      .Out("dst", dst)
      .In("stationary", src)
      .In("moving", b.Whole(identity))
      .Attr("accumulate", false)
      .Attr("is_transpose", true);
}

void Accumulate(KernelBuilder& b, const Operand& dst, const Operand& stationary,
                const Operand& moving, const AffineExpr& step) {
  for (const bool accumulate : {false, true}) {
    b.Instruction("nc_matmul")
        .On(Engine::kPe)
        .Out("dst", dst)
        .In("stationary", stationary)
        .In("moving", moving)
        .Attr("accumulate", accumulate)
        .When(accumulate ? AtLeast(step, 1) : Equals(step, 0));
  }
}

void Reduce(KernelBuilder& b, const Operand& dst, const Operand& src, std::string op) {
  b.Instruction("tensor_reduce")
      .Out("dst", dst)
      .In("data", src)
      .Attr("op", std::move(op))
      .Attr("axis", 1);
}

void RowScalar(KernelBuilder& b, const Operand& dst, const Operand& src, std::string op,
               const Operand& operand) {
  b.Instruction("tensor_scalar")
      .Out("dst", dst)
      .In("data", src)
      .In("operand0", operand)
      .Attr("op0", std::move(op));
}

}  // namespace spillway
