// Any bytes as a target file: refused with a place, or a target that oracles and allocators can
// use.
#include <algorithm>

#include "model/alloc/allocate.h"
#include "model/alloc/ir/kernel_builder.h"
#include "tests/fuzz/harness.h"

namespace spillway {
namespace {

// A loop, a product in PSUM, a value that waits for it, and a home in DRAM of the kernel's own.
Kernel SmallKernel(const Target& target) {
  KernelBuilder b("k", target.name);
  const TensorId x = b.Dram("x", DType::kBfloat16, {32, 64}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {32, 64}, Role::kOutput);
  const TensorId home = b.Dram("home", DType::kBfloat16, {32, 64});
  const TensorId a = b.Sbuf("a", DType::kBfloat16, {32, 64});
  const TensorId c = b.Sbuf("c", DType::kFloat32, {32, 64}, {.blocks = {2}});
  const TensorId p = b.Psum("p", DType::kFloat32, {32, 64});
  b.Copy(b.Whole(a), b.Whole(x));
  b.Copy(b.Whole(home), b.Whole(a));
  b.OpenLoop("i", 0, 4, 1, LoopKind::kSequential);
  const AffineExpr turn = b.Index("i") % 2;
  b.Instruction("nc_matmul")
      .Out("dst", b.Whole(p))
      .In("stationary", b.Whole(a).Elements(0, 32))
      .In("moving", b.Whole(a))
      .Attr("accumulate", false);
  b.Instruction("activation").Out("dst", b.Whole(c).Block({turn})).In("data", b.Whole(p));
  b.Copy(b.Whole(y), b.Whole(c).Block({turn}));
  b.CloseLoop();
  b.Copy(b.Whole(a), b.Whole(home));
  return b.Build();
}

}  // namespace

std::string FuzzOne(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<Target> target = ParseTargetJson(text, "fuzzed");
  if (!target) {
    const Error& error = target.error();
    if (error.file != "fuzzed" || error.code.empty() || error.message.empty())
      return "an error without file, code or message: " + error.ToString();
    return "";
  }
  for (const TargetRow& row : Rows(*target)) {
    if (row.source.empty()) return "row " + row.key + " has no source";
  }
  const std::unique_ptr<Hwm> oracle = MakeClosedFormHwm(*target);
  const Kernel kernel = SmallKernel(*target);
  // A refusal is an answer; with little memory there is something to spill.
  for (const Bytes bytes_of_sbuf : {target->sbuf_usable_bytes.value, Bytes(640)}) {
    AllocateOptions options;
    options.sbuf_bytes = std::min(bytes_of_sbuf, target->sbuf_usable_bytes.value);
    const Result<Allocation> allocation = Allocate(kernel, *target, *oracle, options);
    if (allocation && allocation->sbuf.high_water_bytes > *options.sbuf_bytes)
      return "a placement past the end of SBUF";
  }
  return "";
}

}  // namespace spillway
