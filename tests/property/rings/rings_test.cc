// Kernels as task pipelines, against everybody else who knows how deep a ring must be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "model/alloc/allocate.h"
#include "model/alloc/check/races.h"
#include "model/alloc/check_task/check_system.h"
#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/ir/kernel_builder.h"
#include "model/alloc/nki/check_tile_lifetimes.h"
#include "model/alloc/nki/required_tiles.h"
#include "model/alloc/place_homes.h"
#include "model/alloc/rings/build_system.h"
#include "model/alloc/rings/kernel_rings.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "properties/colouring_round.h"
#include "properties/random_placement.h"
#include "properties/rapidcheck_kernels.h"
#include "properties/rotating_kernel.h"
#include "sim/lower/lower_kernel.h"
#include "sim/lower/lowered_waits.h"
#include "tests/property/run_property.h"

namespace spillway::rings {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

task::Program ProgramOf(const task::PipelineSystem& system) {
  const Result<task::SystemLayout> layout = task::LayOutSystem(system);
  if (!layout) throw std::runtime_error(layout.error().ToString());
  Result<task::Program> program = task::Unroll(system, *layout);
  if (!program) throw std::runtime_error(program.error().ToString());
  return std::move(*program);
}

task::Verdict VerdictOf(const task::PipelineSystem& system) {
  Result<task::Verdict> verdict = task::CheckSystem(system, ProgramOf(system));
  if (!verdict) throw std::runtime_error(verdict.error().ToString());
  return std::move(*verdict);
}

template <class T>
T Get(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(*result);
}

std::vector<TensorId> TensorsWithBlocks(const Kernel& kernel) {
  std::vector<TensorId> rings;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t)
    if (!kernel.tensors[TensorId(t)].blocks.empty()) rings.emplace_back(t);
  return rings;
}

/// The rings of `kernel` with these depths, one behind the other.
Placement WithDepths(const Kernel& kernel, const std::vector<std::int64_t>& depths) {
  Placement placement = FixedPlacement(kernel);
  ByteOffset next(0);
  const std::vector<TensorId> rings = TensorsWithBlocks(kernel);
  for (std::size_t r = 0; r < rings.size(); ++r) {
    const Tensor& tensor = kernel.tensors[rings[r]];
    const ModuloLaw law{.base_addr = next, .num_free_tiles = {depths[r]}};
    placement.addresses[rings[r]] = *EvaluateModuloLaw(tensor, law);
    next = next + RoundUp(BlockBytes(tensor) * depths[r], Trn2().sbuf_granule.value);
  }
  return placement;
}

bool LifetimesObject(const Kernel& kernel, const Placement& placement) {
  return !nki::CheckTileLifetimes(Linearize(kernel), placement, Trn2()).violations.empty();
}

TEST(Rings, OfRotatingKernelsAreJudgedAsByTheLifetimesOfTheirTiles) {
  constexpr int kCases = 300;
  int wrong = 0;
  for (std::uint64_t index = 1; index <= kCases; ++index) {
    const Kernel kernel = DecodeRotating(ProblemBytes(31, index)).kernel;
    std::vector<std::int64_t> depths;
    for (std::size_t r = 0; r < TensorsWithBlocks(kernel).size(); ++r)
      depths.push_back(1 + static_cast<std::int64_t>((index * 5 + r * 3) % 4));
    const Placement placement = WithDepths(kernel, depths);
    const bool lifetimes = LifetimesObject(kernel, placement);
    const task::Verdict placed = VerdictOf(Get(PlacementSystem(kernel, placement, Trn2())));
    EXPECT_EQ(!placed.clobbers.empty(), lifetimes) << index;
    EXPECT_TRUE(placed.races.empty() && placed.blocked.empty()) << index;
    bool too_short = false;
    const KernelRings rings = Get(DeriveRings(kernel, placement, Trn2()));
    for (std::size_t i = 0; i < rings.tensors.size(); ++i) {
      const RingDepth depth =
          Get(FindDepth(kernel, rings.work, rings.fills[i], rings.tensors[i].places));
      too_short = too_short || !depth.as_it_is.empty();
    }
    EXPECT_EQ(too_short, lifetimes) << index;
    wrong += lifetimes ? 1 : 0;
  }
  std::cout << wrong << " of " << kCases << " wrong\n";
  EXPECT_GE(wrong, kCases * 3 / 10);
  EXPECT_LE(wrong, kCases * 8 / 10);
}

TEST(Rings, OfRotatingKernelsNeedTheTilesThatTheirLifetimesNeed) {
  int deep = 0;
  int rings_seen = 0;
  for (std::uint64_t index = 1; index <= 150; ++index) {
    const Kernel kernel = DecodeRotating(ProblemBytes(32, index)).kernel;
    const Placement placement = FixedPlacement(kernel);
    const StreamWork work = Get(CollectWork(kernel));
    for (const TensorId ring : TensorsWithBlocks(kernel)) {
      const nki::TileNeeds needs = nki::RequiredTiles(kernel, placement, ring);
      ASSERT_TRUE(needs.correct) << index;
      const RingDepth depth = Get(FindDepth(kernel, work, FillsOf(work, ring), std::nullopt));
      EXPECT_EQ(depth.needed, needs.correct->tiles) << index;
      EXPECT_EQ(depth.needed, depth.skew + 1) << index;
      ++rings_seen;
      deep += depth.needed > 1 ? 1 : 0;
    }
  }
  EXPECT_GE(rings_seen, 150);
  EXPECT_GE(deep, 150);
}

/// A software pipeline: `fills` loads, each used `skew` turns later by one or two streams.
struct PipelineCase {
  std::int64_t trips = 4;
  std::int64_t skew = 1;
  std::int64_t stages = 2;
  Engine producer = Engine::kDma;
  Engine first = Engine::kDve;
  Engine second = Engine::kDve;
  bool late = false;  ///< the later fill is written behind the reads of its turn
};

Kernel KernelOf(const PipelineCase& c) {
  constexpr std::int64_t kRow = 32;
  KernelBuilder builder("pipeline", "trn2");
  const TensorId x = builder.Dram("x", DType::kBfloat16, {c.trips * 128, kRow}, Role::kInput);
  const TensorId y = builder.Dram("y", DType::kBfloat16, {128, kRow}, Role::kOutput);
  TensorOptions options;
  options.blocks = {c.trips};
  options.alloc = ModuloLaw{.num_free_tiles = {c.stages}};
  const TensorId ring = builder.Sbuf("ring", DType::kBfloat16, {128, kRow}, options);
  const auto fixed = [&](const std::string& name, std::int64_t byte) {
    TensorOptions at;
    at.at = {{Partition(0), ByteOffset(byte)}};
    return builder.Sbuf(name, DType::kBfloat16, {128, kRow}, at);
  };
  const TensorId a = fixed("a", 8192);
  const TensorId b = fixed("b", 8192 + 64);
  builder.OpenLoop("i", 0, c.trips + c.skew);
  const AffineExpr i = builder.Index("i");
  const auto fill = [&] {
    auto out = builder.Whole(ring).Block({i});
    auto instruction = c.producer == Engine::kDma
                           ? builder.Copy(out, builder.Whole(x).Tile(i * 128, 128, 0, kRow))
                           : builder.Instruction("memset").On(c.producer).Out("dst", out);
    instruction.When(LessThan(i, c.trips));
  };
  if (!c.late) fill();
  for (const auto& [engine, sink] : {std::pair{c.first, a}, std::pair{c.second, b}}) {
    builder.Instruction("tensor_copy")
        .On(engine)
        .Out("dst", builder.Whole(sink))
        .In("src", builder.Whole(ring).Block({i - c.skew}))
        .When(AtLeast(i, c.skew));
  }
  if (c.late) fill();
  builder.CloseLoop();
  builder.Copy(builder.Whole(y), builder.Whole(a));
  return builder.Build();
}

TEST(Rings, ANeededDepthIsTheClosedFormAndOneLessHasAFinding) {
  Shares shares;
  CheckProperty("needed depths", 400, [&] {
    PipelineCase c;
    c.trips = *rc::gen::resize(100, rc::gen::inRange(2, 12));
    c.skew = *rc::gen::resize(100, rc::gen::inRange(0, 5));
    c.stages = *rc::gen::resize(100, rc::gen::inRange(1, 6));
    c.producer = *rc::gen::element(Engine::kDma, Engine::kDve, Engine::kPool, Engine::kAct);
    c.first = *rc::gen::element(Engine::kDve, Engine::kAct);
    c.second = *rc::gen::element(Engine::kDve, Engine::kPool);
    c.late = *rc::gen::arbitrary<bool>();
    RC_PRE(!c.late || c.skew > 0);
    const Kernel kernel = KernelOf(c);
    const Placement placement = FixedPlacement(kernel);
    const KernelRings rings = Get(DeriveRings(kernel, placement, Trn2()));
    const auto at = std::find_if(rings.fills.begin(), rings.fills.end(), [&](const auto& fills) {
      return kernel.tensors[fills.tensor].name == "ring";
    });
    const TensorRing& row = rings.tensors[static_cast<std::size_t>(at - rings.fills.begin())];
    const RingDepth depth = Get(FindDepth(kernel, rings.work, *at, row.places));
    // Later fills that begin before a fill's last read: those of the turns between.
    const std::int64_t skew = std::min(c.late ? c.skew - 1 : c.skew, c.trips - 1);
    RC_ASSERT(depth.skew == skew);
    RC_ASSERT(depth.needed == skew + 1);
    RC_ASSERT(!Get(FindTooFewStages(kernel, rings.work, *at, depth.needed)).has_value());
    if (skew > 0)
      RC_ASSERT(Get(FindTooFewStages(kernel, rings.work, *at, depth.needed - 1)).has_value());
    RC_ASSERT(depth.as_it_is.empty() == (row.places > skew));
    RC_ASSERT(!LifetimesObject(kernel, placement) == (row.places > skew));
    // As a pipeline the ring never races or clobbers; too few stages can only stop a stream. What
    // is no pipeline goes by the waits of the program's order, and clobbers.
    const task::Verdict verdict = VerdictOf(rings.system);
    RC_ASSERT(verdict.races.empty());
    RC_ASSERT(verdict.clobbers.empty() == (row.pipeline.has_value() || row.places > skew));
    if (row.places > skew) RC_ASSERT(verdict.IsClean());
    const bool own = c.producer == c.first || c.producer == c.second;
    if (row.pipeline && own) RC_ASSERT(verdict.blocked.empty() == (row.places > skew));
    if (row.pipeline && !own) RC_ASSERT(verdict.blocked.empty());
    shares.Case();
    shares.Count("too short", row.places <= skew);
    shares.Count("pipeline", row.pipeline.has_value());
    shares.Count("stops", !verdict.blocked.empty());
    shares.Count("fills itself", row.pipeline && own);
  });
  shares.AtLeast("too short", 25);
  shares.AtLeast("pipeline", 50);
  shares.AtLeast("stops", 8);
  shares.AtLeast("fills itself", 20);
}

/// An allocated random kernel.
Allocation Allocated(const KernelCase& c) {
  static const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  const Kernel kernel = c.Decode();
  const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
  AllocateOptions options;
  options.sbuf_bytes = c.Between(needs.largest_working_set, needs.peak);
  Result<Allocation> allocation = Allocate(kernel, Trn2(), *hwm, options);
  RC_ASSERT(allocation.has_value());
  return std::move(*allocation);
}

TEST(Rings, OfAllocatedKernelsHaveNoFinding) {
  Shares shares;
  CheckProperty("rings of allocations", 250, [&](const KernelCase& c) {
    const Allocation allocation = Allocated(c);
    const KernelRings rings = Get(DeriveRings(allocation.kernel, allocation.placement, Trn2()));
    const task::Verdict verdict = VerdictOf(rings.system);
    RC_ASSERT(verdict.blocked.empty() && verdict.structure.empty());
    RC_ASSERT(verdict.races.empty() && verdict.clobbers.empty());
    const std::size_t pipelines =
        rings.system.pipelines.size() - static_cast<std::size_t>(rings.semaphores);
    shares.Case();
    shares.Count("pipelines", pipelines > 0);
    shares.Count("refused", std::any_of(rings.tensors.begin(), rings.tensors.end(),
                                        [](const auto& row) { return row.refusal.has_value(); }));
    shares.Count("spilled", !allocation.sbuf.spilled.empty());
  });
  shares.AtLeast("pipelines", 50);
  shares.AtLeast("refused", 40);
  shares.AtLeast("spilled", 40);
}

TEST(Rings, OfAnyKernelUnrollToWhatTheyWereFoldedFrom) {
  Shares shares;
  CheckProperty("folded loops", 250, [&](const KernelCase& c) {
    const Allocation allocation = Allocated(c);
    const StreamWork work = Get(CollectWork(allocation.kernel));
    StreamWork flat = work;
    flat.marks.clear();
    const UnitPlan plan = PlanUnits(allocation.kernel, allocation.placement, work, {});
    const Waits waits = Get(FindWaits(work, plan));
    SystemParts parts{"folded", {}};
    for (const task::MemorySpace space : task::kMemorySpaces)
      parts.capacity[space] = task::Units(1 << 30);
    const task::PipelineSystem folded = Get(BuildSystem(work, plan, waits, parts));
    const task::PipelineSystem unfolded = Get(BuildSystem(flat, plan, waits, parts));
    const task::Program a = ProgramOf(folded);
    const task::Program b = ProgramOf(unfolded);
    RC_ASSERT(a.steps == b.steps);
    RC_ASSERT(a.parts == b.parts);
    RC_ASSERT(a.accesses == b.accesses);
    shares.Case();
    shares.Count("folded", folded.tasks != unfolded.tasks);
  });
  shares.AtLeast("folded", 10);
}

TEST(Rings, ThePlacementWithTheLoweringsWaitsHasNoFinding) {
  Shares shares;
  CheckProperty("lowered placements", 200, [&](const KernelCase& c) {
    const Allocation allocation = Allocated(c);
    const LoweredKernel lowered = Get(LowerKernel(allocation.kernel, allocation.placement, Trn2()));
    const LoweredWaits waits = Get(WaitsOf(allocation.kernel, lowered.program));
    const task::PipelineSystem system = Get(
        PlacementSystem(allocation.kernel, allocation.placement, Trn2(), waits.work, waits.waits));
    const Result<task::Verdict> verdict = task::CheckSystem(system, ProgramOf(system));
    shares.Case();
    // Strided writes may cut a place into more pieces than the checks follow.
    const bool over = !verdict && verdict.error().kind == Kind::kLimit;
    shares.Count("over a limit", over);
    if (over) return;
    RC_ASSERT(verdict.has_value());
    RC_ASSERT(verdict->races.empty() && verdict->clobbers.empty() && verdict->blocked.empty());
    RC_ASSERT(verdict->structure.empty());
    shares.Count("waits", waits.waits.size() > 5);
    shares.Count("anti", lowered.counts.anti > 0);
  });
  shares.AtLeast("waits", 50);
  shares.AtLeast("anti", 40);
  shares.AtMost("over a limit", 5);
}

TEST(Rings, ADroppedWaitOfARotatingKernelIsARaceForBothJudges) {
  int races = 0;
  int clean = 0;
  for (std::uint64_t index = 1; index <= 40; ++index) {
    const AllocationProblem problem = DecodeRotating(ProblemBytes(33, index));
    const Allocation placed = Get(AllocateHomes(problem.kernel, Trn2()));
    const LoweredKernel whole = Get(LowerKernel(placed.kernel, placed.placement, Trn2()));
    for (std::size_t wait = 0; wait <= whole.counts.waits; ++wait) {
      LowerOptions options;
      if (wait < whole.counts.waits) options.dropped_waits = {wait};
      const LoweredKernel lowered =
          Get(LowerKernel(placed.kernel, placed.placement, Trn2(), options));
      const Placement places{lowered.memory.addresses};
      const bool judge =
          !CheckRaces({placed.kernel, lowered.program, places, Trn2()}).violations.empty();
      const LoweredWaits waits = Get(WaitsOf(placed.kernel, lowered.program));
      const task::Verdict verdict = VerdictOf(
          Get(PlacementSystem(placed.kernel, placed.placement, Trn2(), waits.work, waits.waits)));
      EXPECT_EQ(!verdict.races.empty(), judge) << index << " " << wait;
      ++(judge ? races : clean);
    }
  }
  std::cout << races << " races, " << clean << " without\n";
  EXPECT_GE(races, 200);
  EXPECT_GE(clean, 40);
}

TEST(Rings, OfRandomPlacementsClobberOnlyWhereALifetimeIsWrong) {
  Shares shares;
  CheckProperty("clobbers of placements", 400, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const Placement placement = DecodePlacement(kernel, Trn2(), *AnyBytes(40));
    const task::Verdict verdict = VerdictOf(Get(PlacementSystem(kernel, placement, Trn2())));
    RC_ASSERT(verdict.races.empty() && verdict.blocked.empty());
    const bool lifetimes = LifetimesObject(kernel, placement);
    if (!verdict.clobbers.empty()) RC_ASSERT(lifetimes);
    shares.Case();
    shares.Count("clobbers", !verdict.clobbers.empty());
    shares.Count("right", !lifetimes);
    shares.Count("agree", lifetimes == !verdict.clobbers.empty());
  });
  shares.AtLeast("clobbers", 15);
  shares.AtLeast("right", 20);
  shares.AtLeast("agree", 80);
}

}  // namespace
}  // namespace spillway::rings
