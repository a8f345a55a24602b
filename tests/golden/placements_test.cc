// Placements that were looked at once and must not change unnoticed.
// SPILLWAY_UPDATE_GOLDEN=1 writes the files anew; read the difference before committing it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/print_kernel.h"
#include "model/alloc/sbuf/allocate_sbuf.h"

namespace spillway {
namespace {

std::string GoldenPath(const std::string& name) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/tests/golden/" + name + ".txt";
}

std::string Placed(const Kernel& kernel, std::int64_t capacity) {
  const Target target = *FindTarget("trn2");
  const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(target);
  SbufOptions options;
  options.capacity = Bytes(capacity);
  const Result<SbufAllocation> allocation = AllocateSbuf(kernel, target, *hwm, options);
  if (!allocation) return allocation.error().ToString();
  std::string text = PrintKernel(WithPlacement(allocation->kernel, allocation->placement));
  const SbufStats& stats = allocation->stats;
  text += fmt::format("iterations {}, peak {} bytes, high water {} of {} bytes\n", stats.iterations,
                      stats.peak_live_bytes.value, stats.high_water_bytes.value, capacity);
  for (const std::string& message : stats.messages) text += message + "\n";
  return text;
}

void ExpectGolden(const std::string& name, const std::string& text) {
  if (std::getenv("SPILLWAY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(GoldenPath(name), std::ios::binary) << text;
    return;
  }
  std::ifstream file(GoldenPath(name), std::ios::binary);
  ASSERT_TRUE(file.good()) << "no file " << GoldenPath(name);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str());
}

TEST(GoldenPlacement, OfAKernelThatSpills) {
  KernelBuilder b("spilling", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {4, 128, 64}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, 64}, Role::kOutput);
  std::vector<TensorId> tiles;
  for (int i = 0; i < 4; ++i) {
    tiles.push_back(b.Sbuf(fmt::format("tile{}", i), DType::kFloat32, {128, 64}));
    b.Copy(b.Whole(tiles.back()), b.Whole(x).Elements(i * 8192, 8192));
  }
  const TensorId sum = b.Sbuf("sum", DType::kFloat32, {128, 64});
  const auto add = [&](TensorId dst, TensorId p, TensorId q) {
    b.Instruction("tensor_tensor")
        .Out("dst", b.Whole(dst))
        .In("data0", b.Whole(p))
        .In("data1", b.Whole(q))
        .Attr("op", "add");
  };
  add(sum, tiles[0], tiles[1]);
  for (const int i : {2, 3, 1, 0}) add(sum, sum, tiles[static_cast<std::size_t>(i)]);
  b.Copy(b.Whole(y), b.Whole(sum));
  ExpectGolden("spilling", Placed(b.Build(), 3 * 256));
}

TEST(GoldenPlacement, OfAKernelWithLoops) {
  KernelBuilder b("loops", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {8, 128, 32}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {8, 128, 32}, Role::kOutput);
  const TensorId scale = b.Sbuf("scale", DType::kFloat32, {128, 1});
  const TensorId best = b.Sbuf("best", DType::kFloat32, {128, 32});
  const TensorId tile = b.Sbuf("tile", DType::kFloat32, {128, 32}, {.blocks = {2}});
  const TensorId out = b.Sbuf("out", DType::kFloat32, {128, 32});
  b.Instruction("memset").Out("dst", b.Whole(scale)).Attr("value", 2.0);
  b.Instruction("memset").Out("dst", b.Whole(best)).Attr("value", 0.0);
  b.OpenLoop("i", 0, 8);
  const AffineExpr i = b.Index("i");
  b.Copy(b.Whole(tile).Block({i % 2}), b.Whole(x).Elements(i * 4096, 4096));
  b.Instruction("tensor_tensor")
      .Out("dst", b.Whole(best))
      .In("data0", b.Whole(best))
      .In("data1", b.Whole(tile).Block({i % 2}))
      .Attr("op", "maximum");
  b.Instruction("tensor_scalar")
      .Out("dst", b.Whole(out))
      .In("data", b.Whole(best))
      .In("operand0", b.Whole(scale))
      .Attr("op0", "multiply")
      .When(AtLeast(i, 1));
  b.Copy(b.Whole(y).Elements(i * 4096, 4096), b.Whole(out)).When(AtLeast(i, 1));
  b.CloseLoop();
  b.Copy(b.Whole(y).Elements(0, 4096), b.Whole(best));
  ExpectGolden("loops", Placed(b.Build(), 320));
}

TEST(GoldenPlacement, OfAKernelWithBands) {
  KernelBuilder b("bands", "trn2");
  const TensorId y = b.Dram("y", DType::kUint8, {16384}, Role::kOutput);
  std::vector<TensorId> tensors;
  for (const std::int64_t height : {32, 64, 128, 33, 16, 1, 65, 32, 32}) {
    tensors.push_back(
        b.Sbuf(fmt::format("t{}_{}", tensors.size(), height), DType::kUint8, {height, 24}));
    b.Instruction("memset").Out("dst", b.Whole(tensors.back())).Attr("value", 1);
  }
  b.Sbuf("unused", DType::kUint8, {128, 24});
  tensors.push_back(
      b.Sbuf("pinned", DType::kUint8, {32, 24}, {.at = {{Partition(96), ByteOffset(4)}}}));
  b.Instruction("memset").Out("dst", b.Whole(tensors.back())).Attr("value", 2);
  for (const TensorId t : tensors) {
    const Operand whole = b.Whole(t);
    b.Copy(b.Whole(y).Elements(0, whole.partition_count * 24), whole);
  }
  ExpectGolden("bands", Placed(b.Build(), 128));
}

}  // namespace
}  // namespace spillway
