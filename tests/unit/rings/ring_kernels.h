// Small placed kernels whose tensors rotate, and what the checks say about them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/placement.h"
#include "model/alloc/rings/kernel_rings.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"

namespace spillway::rings {

inline Target Trn2() { return FindTarget("trn2").value(); }

/// `count` tiles in turn from `base` on.
inline ModuloLaw Tiles(std::int64_t base, std::int64_t count) {
  return ModuloLaw{.base_addr = ByteOffset(base), .num_free_tiles = {count}};
}

/// A ring: blocks of 128 x `row` bfloat16.
inline TensorId Ring128(KernelBuilder& builder, const std::string& name, std::int64_t blocks,
                        std::int64_t row, std::int64_t base, std::int64_t tiles) {
  TensorOptions options;
  options.blocks = {blocks};
  options.alloc = Tiles(base, tiles);
  return builder.Sbuf(name, DType::kBfloat16, {128, row}, options);
}

inline TensorId Fixed(KernelBuilder& builder, const std::string& name, std::int64_t row,
                      std::int64_t byte, std::int64_t partition = 0, std::int64_t rows = 128) {
  TensorOptions options;
  options.at = {{Partition(partition), ByteOffset(byte)}};
  return builder.Sbuf(name, DType::kBfloat16, {rows, row}, options);
}

/// Reads `from` into `to` on a compute engine.
inline InstructionBuilder Compute(KernelBuilder& builder, Engine engine, Operand to, Operand from) {
  return builder.Instruction("tensor_copy")
      .On(engine)
      .Out("dst", std::move(to))
      .In("src", std::move(from));
}

/// Load i + skew, then use i, in a loop of `trips`: the first `skew` loads stand before it.
/// `producer` is DMA, or a compute engine that fills the ring itself.
struct SkewedShape {
  std::int64_t trips = 6;
  std::int64_t skew = 1;
  std::int64_t stages = 2;
  Engine producer = Engine::kDma;
  Engine consumer = Engine::kDve;
};

inline Kernel Skewed(const SkewedShape& shape) {
  constexpr std::int64_t kRow = 64;
  KernelBuilder builder("skewed", "trn2");
  const TensorId x = builder.Dram("x", DType::kBfloat16, {shape.trips * 128, kRow}, Role::kInput);
  const TensorId y = builder.Dram("y", DType::kBfloat16, {shape.trips * 128, kRow}, Role::kOutput);
  const TensorId ring = Ring128(builder, "ring", shape.trips, kRow, 0, shape.stages);
  const TensorId out = Fixed(builder, "out", kRow, 4096);
  const auto load = [&](const AffineExpr& i) {
    if (shape.producer == Engine::kDma) {
      return builder.Copy(builder.Whole(ring).Block({i}),
                          builder.Whole(x).Tile(i * 128, 128, 0, kRow));
    }
    return builder.Instruction("memset")
        .On(shape.producer)
        .Out("dst", builder.Whole(ring).Block({i}));
  };
  if (shape.skew > 0) {
    builder.OpenLoop("first", 0, shape.skew);
    load(builder.Index("first"));
    builder.CloseLoop();
  }
  builder.OpenLoop("i", 0, shape.trips);
  const AffineExpr i = builder.Index("i");
  load(i + shape.skew).When(LessThan(i, shape.trips - shape.skew));
  Compute(builder, shape.consumer, builder.Whole(out), builder.Whole(ring).Block({i}));
  builder.Copy(builder.Whole(y).Tile(i * 128, 128, 0, kRow), builder.Whole(out));
  builder.CloseLoop();
  return builder.Build();
}

inline task::Verdict VerdictOf(const task::PipelineSystem& system) {
  const Result<task::SystemLayout> layout = task::LayOutSystem(system);
  if (!layout) throw std::runtime_error(layout.error().ToString());
  const Result<task::Program> program = task::Unroll(system, *layout);
  if (!program) throw std::runtime_error(program.error().ToString());
  const Result<task::Verdict> verdict = task::CheckSystem(system, *program);
  if (!verdict) throw std::runtime_error(verdict.error().ToString());
  return *verdict;
}

/// "Pe.matrix write b / Store.dma read a", each once.
inline std::vector<std::string> RaceNames(const task::PipelineSystem& system) {
  const auto name = [&](const task::AccessPoint& point) {
    std::string text;
    for (const std::string& part : task::NamesOf(system, point.what))
      text += (text.empty() ? "" : " ") + part;
    return text;
  };
  std::vector<std::string> names;
  for (const task::Race& race : VerdictOf(system).races)
    names.push_back(name(race.a) + " / " + name(race.b));
  return names;
}

inline KernelRings RingsOf(const Kernel& kernel) {
  const Result<Target> target = FindTarget(kernel.target);
  Result<KernelRings> rings = DeriveRings(kernel, FixedPlacement(kernel), *target);
  if (!rings) throw std::runtime_error(rings.error().ToString());
  return std::move(*rings);
}

inline const TensorRing& RowOf(const Kernel& kernel, const KernelRings& rings,
                               const std::string& name) {
  for (const TensorRing& row : rings.tensors)
    if (kernel.tensors[row.tensor].name == name) return row;
  throw std::runtime_error("no tensor " + name);
}

/// The depth that `name` needs, and what its own stages give.
inline RingDepth DepthOf(const Kernel& kernel, const KernelRings& rings, const std::string& name) {
  for (std::size_t i = 0; i < rings.tensors.size(); ++i) {
    if (kernel.tensors[rings.tensors[i].tensor].name != name) continue;
    Result<RingDepth> depth =
        FindDepth(kernel, rings.work, rings.fills[i], rings.tensors[i].places);
    if (!depth) throw std::runtime_error(depth.error().ToString());
    return std::move(*depth);
  }
  throw std::runtime_error("no tensor " + name);
}

}  // namespace spillway::rings
