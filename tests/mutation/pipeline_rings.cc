#include "tests/mutation/pipeline_rings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/alloc/check_task/check_system.h"
#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/nki/check_tile_lifetimes.h"
#include "model/alloc/rings/kernel_rings.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "tests/mutation/pipeline_columns.h"
#include "tests/mutation/trial_problems.h"
#include "tests/property/task/random_system.h"

namespace spillway {
namespace {

/// What is drawn: `trips` fills, each used `skew` turns later.
struct RingShape {
  std::int64_t trips = 4;
  std::int64_t skew = 1;
  std::int64_t stages = 2;
  Engine producer = Engine::kDma;
  Engine first = Engine::kDve;
  Engine second = Engine::kDve;
  bool late = false;    ///< a fill is written behind the reads of its turn
  bool halves = false;  ///< it is written in two halves
  bool again = false;   ///< the first reader reads it once more, behind the second one
  bool on_top = false;  ///< a fill is computed from the one `skew` turns before it
};

template <class T>
T OneOf(const std::vector<T>& values) {
  return values[static_cast<std::size_t>(task::Draw(0, static_cast<std::int64_t>(values.size())))];
}

RingShape DrawShape() {
  RingShape shape;
  shape.trips = task::Draw(2, 9);
  shape.skew = task::Draw(0, 4);
  shape.stages = task::Draw(1, 6);
  shape.producer = OneOf<Engine>({Engine::kDma, Engine::kDve, Engine::kPool, Engine::kAct});
  shape.first = OneOf<Engine>({Engine::kDve, Engine::kAct});
  shape.second = OneOf<Engine>({Engine::kDve, Engine::kPool});
  shape.late = shape.skew > 0 && task::Draw(0, 2) == 0;
  shape.halves = shape.producer != Engine::kDma && task::Draw(0, 2) == 0;
  shape.again = task::Draw(0, 2) == 0;
  shape.on_top = task::Draw(0, 4) == 0;
  if (shape.on_top) shape.skew = std::max<std::int64_t>(shape.skew, 1);
  return shape;
}

constexpr std::int64_t kRow = 32;
constexpr std::int64_t kRows = 128;
constexpr std::int64_t kBehindRings = 8192;

class ShapeKernel {
 public:
  explicit ShapeKernel(const RingShape& shape)
      : shape_(shape),
        builder_("ring", "trn2"),
        x_(builder_.Dram("x", DType::kBfloat16, {shape.trips * kRows, kRow}, Role::kInput)),
        y_(builder_.Dram("y", DType::kBfloat16, {kRows, kRow}, Role::kOutput)) {
    TensorOptions options;
    options.blocks = {shape.trips + (shape.on_top ? shape.skew : 0)};
    options.alloc = ModuloLaw{.num_free_tiles = {shape.stages}};
    ring_ = builder_.Sbuf("ring", DType::kBfloat16, {kRows, kRow}, options);
    for (TensorId& sink : sinks_) {
      TensorOptions at;
      at.at = {{Partition(0), ByteOffset(next_)}};
      next_ += ElementSize(DType::kBfloat16).value * kRow;
      sink = builder_.Sbuf(fmt::format("sink{}", next_), DType::kBfloat16, {kRows, kRow}, at);
    }
  }

  Kernel Build() {
    if (shape_.on_top) return BuildOnTop();
    builder_.OpenLoop("i", 0, shape_.trips + shape_.skew);
    const AffineExpr i = builder_.Index("i");
    if (!shape_.late) Fill(i);
    Use(shape_.first, 0, i);
    Use(shape_.second, 1, i);
    if (shape_.again) Use(shape_.first, 2, i);
    if (shape_.late) Fill(i);
    builder_.CloseLoop();
    builder_.Copy(builder_.Whole(y_), builder_.Whole(sinks_[0]));
    return builder_.Build();
  }

 private:
  void Fill(const AffineExpr& i) {
    if (shape_.producer == Engine::kDma) {
      builder_
          .Copy(builder_.Whole(ring_).Block({i}),
                builder_.Whole(x_).Tile(i * kRows, kRows, 0, kRow))
          .When(LessThan(i, shape_.trips));
      return;
    }
    const std::int64_t parts = shape_.halves ? 2 : 1;
    for (std::int64_t part = 0; part < parts; ++part) {
      builder_.Instruction("memset")
          .On(shape_.producer)
          .Out("dst", builder_.Whole(ring_).Block({i}).Elements(part * kRow / parts, kRow / parts))
          .When(LessThan(i, shape_.trips));
    }
  }

  void Use(Engine engine, std::size_t sink, const AffineExpr& i) {
    builder_.Instruction("tensor_copy")
        .On(engine)
        .Out("dst", builder_.Whole(sinks_[sink]))
        .In("src", builder_.Whole(ring_).Block({i - shape_.skew}))
        .When(AtLeast(i, shape_.skew));
  }

  Kernel BuildOnTop() {
    for (std::int64_t b = 0; b < shape_.skew; ++b)
      builder_.Instruction("memset").On(shape_.first).Out("dst", builder_.Whole(ring_).Block({b}));
    builder_.OpenLoop("i", 0, shape_.trips);
    const AffineExpr i = builder_.Index("i");
    builder_.Instruction("tensor_copy")
        .On(shape_.first)
        .Out("dst", builder_.Whole(ring_).Block({i + shape_.skew}))
        .In("src", builder_.Whole(ring_).Block({i}));
    builder_.CloseLoop();
    builder_.Copy(builder_.Whole(y_),
                  builder_.Whole(ring_).Block({shape_.trips + shape_.skew - 1}));
    return builder_.Build();
  }

  const RingShape shape_;
  KernelBuilder builder_;
  TensorId x_;
  TensorId y_;
  TensorId ring_;
  std::array<TensorId, 3> sinks_;
  std::int64_t next_ = kBehindRings;
};

const Target& Trn2() {
  static const Target target = FindTarget("trn2").value();
  return target;
}

task::Verdict VerdictOf(const task::PipelineSystem& system) {
  const task::Program program = task::Unroll(system, task::LayOutSystem(system).value()).value();
  return task::CheckSystem(system, program).value();
}

bool LifetimesObject(const RingCase& ring) {
  return !nki::CheckTileLifetimes(Linearize(ring.kernel), ring.placement, Trn2())
              .violations.empty();
}

std::optional<std::string> CompareDepth(const RingCase& ring, const rings::KernelRings& derived) {
  const auto row = std::find_if(
      derived.tensors.begin(), derived.tensors.end(),
      [&](const auto& tensor) { return ring.kernel.tensors[tensor.tensor].name == "ring"; });
  if (row == derived.tensors.end()) return "the ring isn't among the tensors that are touched";
  const auto& fills = derived.fills[static_cast<std::size_t>(row - derived.tensors.begin())];
  const rings::RingDepth depth =
      rings::FindDepth(ring.kernel, derived.work, fills, row->places).value();
  if (depth.needed != ring.needed)
    return fmt::format("a ring needs {} stages, by the closed form {}", depth.needed, ring.needed);
  if (depth.as_it_is.empty() == ring.is_deep_enough) return std::nullopt;
  return fmt::format("of {} stages where {} are needed the checks say \"{}\"", ring.stages,
                     ring.needed, depth.as_it_is);
}

std::string TextOf(const task::PipelineSystem& system, const task::Verdict& verdict) {
  if (verdict.races.empty())
    return fmt::format("{} clobbers, {} blocked tasks", verdict.clobbers.size(),
                       verdict.blocked.size());
  return fmt::format("{} and {} race", task::TextOf(system, verdict.races.front().a),
                     task::TextOf(system, verdict.races.front().b));
}

}  // namespace

RingCase RingCaseFor(std::int64_t number) {
  const RingShape shape = DrawnFor(number, [] { return DrawShape(); });
  RingCase ring;
  ring.kernel = ShapeKernel(shape).Build();
  ring.placement = FixedPlacement(ring.kernel);
  ring.stages = shape.stages;
  // Fills that are open at once: those of the turns between a fill and its last use.
  ring.needed = std::min(shape.late ? shape.skew - 1 : shape.skew, shape.trips - 1) + 1;
  // What is computed from a fill is open while that is read.
  if (shape.on_top) ring.needed = shape.skew + 1;
  ring.is_deep_enough = ring.stages >= ring.needed;
  ring.is_on_top = shape.on_top;
  return ring;
}

std::vector<task::PipelineSystem> SystemsOf(const RingCase& ring) {
  return {rings::DeriveRings(ring.kernel, ring.placement, Trn2()).value().system,
          rings::PlacementSystem(ring.kernel, ring.placement, Trn2()).value()};
}

std::optional<std::string> CompareRings(std::int64_t number, const std::string& fault) {
  const RingCase ring = RingCaseFor(number);
  const Planted planted(fault);
  const rings::KernelRings derived =
      rings::DeriveRings(ring.kernel, ring.placement, Trn2()).value();
  if (auto found = CompareDepth(ring, derived)) return found;
  const task::Verdict piped = VerdictOf(derived.system);
  if (!piped.races.empty() || (ring.is_deep_enough && !piped.IsClean()))
    return "as pipelines: " + TextOf(derived.system, piped);
  const task::PipelineSystem apart =
      rings::PlacementSystem(ring.kernel, ring.placement, Trn2()).value();
  const task::Verdict placed = VerdictOf(apart);
  // An instruction that writes on top of what it reads has read it by then, as far as waits can
  // say.
  const bool asks_lifetimes = !ring.is_on_top || ring.is_deep_enough;
  if (!placed.races.empty() || !placed.blocked.empty() ||
      (asks_lifetimes && placed.clobbers.empty() == LifetimesObject(ring)))
    return "with semaphores: " + TextOf(apart, placed);
  return std::nullopt;
}

}  // namespace spillway
