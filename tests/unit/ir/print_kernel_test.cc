#include "model/alloc/ir/print_kernel.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/alloc/ir/kernel_builder.h"

namespace spillway {
namespace {

TEST(PrintKernelTest, ShowsTensorsAndTheIndentedLoopTree) {
  KernelBuilder b("scale", "trn2");
  b.Origin("shape", "4x8");
  const TensorId x = b.Dram("x", DType::kFloat32, {64, 512}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {64, 512}, Role::kOutput);
  const TensorId t = b.Sbuf(
      "t", DType::kFloat32, {64, 256},
      {.blocks = {2}, .at = {{Partition(0), ByteOffset(0)}, {Partition(64), ByteOffset(1024)}}});
  b.OpenLoop("i", 0, 2);
  const Operand tile = b.Whole(t).Block({b.Index("i") % 2});
  b.Copy(tile, b.Whole(x).Tile(0, 64, b.Index("i") * 256, 256));
  b.Instruction("tensor_scalar")
      .Out("dst", tile)
      .In("data", tile)
      .Attr("op0", "multiply")
      .Attr("operand0", 2.0)
      .When(AtLeast(b.Index("i"), 1))
      .When(LessThan(b.Index("i"), 2))
      .Source("k.py:7");
  b.CloseLoop();
  b.Instruction("store")
      .Out("dst", b.Whole(y))
      .InList("srcs", {b.Whole(t).Block({0}).Partitions(0, 8).As(DType::kUint16),
                       b.Whole(x).Elements(3, 1).Through("rows")})
      .SourceLoop("L0", 3);
  EXPECT_EQ(PrintKernel(b.Build()), R"(kernel scale on trn2, shape: 4x8
  x: dram float32 [64, 512] input
  y: dram float32 [64, 512] output
  t: sbuf float32 [64, 256] blocks [2] at 0:0 64:1024
for i in 0..2 step 1 affine
  dma_copy.dma dst=t{i mod 2}[0+64, 0: 1x256] <- src=x[256*i: 512x64 1x256]
  tensor_scalar dst=t{i mod 2}[0+64, 0: 1x256] <- data=t{i mod 2}[0+64, 0: 1x256] {op0: multiply, operand0: 2.0} when -1 + i >= 0 and -2 + i < 0 # k.py:7
end i
store dst=y[0: 512x64 1x512] <- srcs=(t{0}[0+8, 0: 1x256] as uint16, x[3: 1x1] through rows) @L0=3
)");
}

TEST(PrintKernelTest, ShowsTheLawOfAModuloAllocation) {
  KernelBuilder b("k", "trn2");
  const TensorId p =
      b.Psum("p", DType::kFloat32, {128, 512},
             {.blocks = {2}, .alloc = ModuloLaw{.base_bank = BankId(3), .num_bank_tiles = {2}}});
  EXPECT_EQ(PrintTensor(b.Build().tensors[p]),
            "p: psum float32 [128, 512] blocks [2] at 0:6144 0:8192 by mod_alloc(base_bank=3, "
            "base_addr=0, num_bank_tiles=(2))");
}

TEST(PrintKernelTest, ShowsThatAnAuthorsFunctionGaveThePlace) {
  KernelBuilder b("k", "trn2");
  const TensorId t = b.Sbuf("t", DType::kFloat32, {32, 8},
                            {.at = {{Partition(0), ByteOffset(64)}}, .by_function = true});
  EXPECT_EQ(PrintTensor(b.Build().tensors[t]), "t: sbuf float32 [32, 8] at 0:64 by a function");
}

TEST(PrintIndexTest, CombinesConstantTermsAndModulus) {
  KernelBuilder b("k", "trn2");
  b.OpenLoop("i", 0, 2);
  b.OpenLoop("j", 0, 2);
  const AffineExpr i = b.Index("i");
  const AffineExpr j = b.Index("j");
  b.CloseLoop();
  b.CloseLoop();
  const Kernel kernel = b.Build();
  EXPECT_EQ(PrintIndex(kernel, 0), "0");
  EXPECT_EQ(PrintIndex(kernel, -7), "-7");
  EXPECT_EQ(PrintIndex(kernel, i), "i");
  EXPECT_EQ(PrintIndex(kernel, i * -1), "-i");
  EXPECT_EQ(PrintIndex(kernel, i * 512 - j + 4), "4 + 512*i - j");
  EXPECT_EQ(PrintIndex(kernel, (i + 1) % 2), "(1 + i) mod 2");
  EXPECT_EQ(PrintIndex(kernel, i * std::numeric_limits<std::int64_t>::min()),
            "-9223372036854775808*i");
}

TEST(PrintInstructionTest, AttributesOfEveryTypeStayApart) {
  KernelBuilder b("k", "trn2");
  b.Instruction("op")
      .Attr("a", AttrValue())
      .Attr("b", true)
      .Attr("c", 1)
      .Attr("d", 1.0)
      .Attr("e", "add")
      .Attr("f", AttrValue::List{1, AttrValue::List{}, "x"})
      .Attr("g", -std::numeric_limits<double>::infinity());
  const Kernel kernel = b.Build();
  EXPECT_EQ(PrintInstruction(kernel, kernel.instructions[InstructionId(0)]),
            "op {a: null, b: true, c: 1, d: 1.0, e: add, f: [1, [], x], g: -inf}");
}

}  // namespace
}  // namespace spillway
