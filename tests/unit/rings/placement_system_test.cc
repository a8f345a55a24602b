// A placement as one big alias relation: overlaps and stale data are races and clobbers.
#include <gmock/gmock.h>

#include "model/alloc/rings/build_system.h"
#include "model/alloc/rings/fold_loops.h"
#include "tests/unit/rings/ring_kernels.h"
#include "traces/kernel_reader.h"

namespace spillway::rings {
namespace {

using ::testing::HasSubstr;

task::PipelineSystem PlacedBy(const Kernel& kernel, const Placement& placement,
                              bool across_units = true) {
  const Result<Target> target = FindTarget(kernel.target);
  Result<task::PipelineSystem> system =
      PlacementSystem(kernel, placement, *target, WaitOptions{across_units});
  if (!system) throw std::runtime_error(system.error().ToString());
  return std::move(*system);
}

std::vector<std::string> ClobberNames(const task::PipelineSystem& system) {
  std::vector<std::string> names;
  for (const task::Clobber& clobber : VerdictOf(system).clobbers)
    names.push_back(task::NamesOf(system, clobber.read.what)[2] + " < " +
                    task::NamesOf(system, clobber.write.what)[2]);
  return names;
}

Kernel Captured(const std::string& name) {
  Result<Kernel> kernel = ReadKernelFile(std::string(SPILLWAY_SOURCE_DIR) + "/traces/captured/" +
                                         name + ".kernel.jsonl.zst");
  if (!kernel) throw std::runtime_error(kernel.error().ToString());
  return std::move(*kernel);
}

TEST(PlacementSystem, OfCapturedAndHandPlacedKernelsIsClean) {
  for (const char* name : {"attention_cte_2k", "conv1d", "qkv_cte"}) {
    const Kernel kernel = Captured(name);
    const task::Verdict verdict = VerdictOf(PlacedBy(kernel, FixedPlacement(kernel)));
    EXPECT_TRUE(verdict.IsClean()) << name;
    EXPECT_GT(verdict.events, 100) << name;
  }
  const Kernel kernel = Skewed({.skew = 2, .stages = 3});
  EXPECT_TRUE(VerdictOf(PlacedBy(kernel, FixedPlacement(kernel))).IsClean());
}

TEST(PlacementSystem, AnOverlapOfTwoLivesIsAClobberAndWithoutAntiDependencesARace) {
  Kernel kernel = Captured("attention_cte_2k");
  Placement placement = FixedPlacement(kernel);
  // Two tensors that are used together: the operands of one instruction.
  std::vector<TensorId> together;
  for (const Instruction& instruction : kernel.instructions) {
    together.clear();
    for (const OperandGroup& group : instruction.inputs) {
      for (const Operand& operand : group.operands) {
        if (kernel.tensors[operand.tensor].space == Space::kSbuf &&
            (together.empty() || together.front() != operand.tensor))
          together.push_back(operand.tensor);
      }
    }
    if (together.size() > 1) break;
  }
  ASSERT_GT(together.size(), 1u);
  placement.addresses[together[1]].front() = placement.addresses[together[0]].front();
  EXPECT_FALSE(ClobberNames(PlacedBy(kernel, placement)).empty());
  EXPECT_TRUE(RaceNames(PlacedBy(kernel, placement)).empty());
  EXPECT_FALSE(RaceNames(PlacedBy(kernel, placement, false)).empty());
}

TEST(PlacementSystem, AStaleDoubleBufferIsAClobber) {
  const Kernel kernel = Skewed({.trips = 5, .skew = 2, .stages = 2});
  EXPECT_THAT(
      ClobberNames(PlacedBy(kernel, FixedPlacement(kernel))),
      ::testing::ElementsAre("ring_b0 < ring_b2", "ring_b1 < ring_b3", "ring_b2 < ring_b4"));
}

/// t is saved, its place is given to u, and t is read again: reloaded first, or stale.
Kernel Spilled(bool reloads) {
  KernelBuilder builder("spilled", "trn2");
  const TensorId y = builder.Dram("y", DType::kBfloat16, {128, 64}, Role::kOutput);
  const TensorId home = builder.Dram("home", DType::kBfloat16, {128, 64});
  const TensorId t = Fixed(builder, "t", 64, 0);
  const TensorId u = Fixed(builder, "u", 64, 0);
  const TensorId sum = Fixed(builder, "sum", 64, 1024);
  builder.Instruction("memset").On(Engine::kPool).Out("dst", builder.Whole(t));
  builder.Copy(builder.Whole(home), builder.Whole(t)).Spill(SpillRole::kSave);
  builder.Instruction("memset").On(Engine::kPool).Out("dst", builder.Whole(u));
  Compute(builder, Engine::kDve, builder.Whole(sum), builder.Whole(u));
  if (reloads) builder.Copy(builder.Whole(t), builder.Whole(home)).Spill(SpillRole::kReload);
  Compute(builder, Engine::kDve, builder.Whole(sum), builder.Whole(t));
  builder.Copy(builder.Whole(y), builder.Whole(sum));
  return builder.Build();
}

TEST(PlacementSystem, AForgottenReloadIsAClobber) {
  const Kernel right = Spilled(true);
  EXPECT_TRUE(VerdictOf(PlacedBy(right, FixedPlacement(right))).IsClean());
  EXPECT_TRUE(VerdictOf(RingsOf(right).system).IsClean());
  const Kernel stale = Spilled(false);
  EXPECT_THAT(ClobberNames(PlacedBy(stale, FixedPlacement(stale))),
              ::testing::ElementsAre("t < u"));
}

TEST(PlacementSystem, AReloadWaitsForItsSaveThroughDram) {
  // Without that wait the two transfers would be free to pass each other.
  const task::PipelineSystem system = PlacedBy(Spilled(true), FixedPlacement(Spilled(true)), false);
  bool found = false;
  for (const task::Pipeline& pipeline : system.pipelines)
    found = found || pipeline.name == "Save_to_Reload";
  EXPECT_TRUE(found);
}

TEST(PlacementSystem, ATensorWithoutAPlaceIsNamed) {
  KernelBuilder builder("unplaced", "trn2");
  const TensorId y = builder.Dram("y", DType::kBfloat16, {128, 64}, Role::kOutput);
  const TensorId t = builder.Sbuf("t", DType::kBfloat16, {128, 64});
  builder.Instruction("memset").On(Engine::kPool).Out("dst", builder.Whole(t));
  builder.Copy(builder.Whole(y), builder.Whole(t));
  const Kernel kernel = builder.Build();
  const auto rings = DeriveRings(kernel, FixedPlacement(kernel), Trn2());
  ASSERT_FALSE(rings.has_value());
  EXPECT_EQ(rings.error().code, "ring-not-placed");
  EXPECT_THAT(rings.error().message, HasSubstr("tensor t: expected 1 places"));
}

TEST(PlacementSystem, ATransferBetweenDramTensorsTellsWhenItIsDone) {
  KernelBuilder builder("far", "trn2");
  const TensorId x = builder.Dram("x", DType::kBfloat16, {128, 64}, Role::kInput);
  const TensorId z = builder.Dram("z", DType::kBfloat16, {128, 64});
  const TensorId y = builder.Dram("y", DType::kBfloat16, {128, 64}, Role::kOutput);
  const TensorId t = Fixed(builder, "t", 64, 0);
  builder.Copy(builder.Whole(z), builder.Whole(x));
  builder.Copy(builder.Whole(t), builder.Whole(z));
  builder.Copy(builder.Whole(y), builder.Whole(t));
  const Kernel kernel = builder.Build();
  const task::PipelineSystem system = PlacedBy(kernel, FixedPlacement(kernel));
  EXPECT_TRUE(VerdictOf(system).IsClean());
  ASSERT_EQ(system.resources.size(), 2u);
  EXPECT_EQ(system.resources[task::ResourceId(1)].name, "dram");
  EXPECT_TRUE(system.resources[task::ResourceId(1)].regions.empty());
}

TEST(KernelRings, ALongLoopIsCutForTheChecksAndWholeInTheSystem) {
  const Kernel kernel = Skewed({.trips = 40'000, .skew = 1, .stages = 2});
  const KernelRings rings = RingsOf(kernel);
  ASSERT_TRUE(rings.cut.has_value());
  const task::Verdict verdict = VerdictOf(*rings.cut);
  EXPECT_TRUE(verdict.IsClean());
  // lcm(2, 1) + sum(2, 1) + 2 iterations, and the first and last turns. What is left out is a
  // multiple of 2, so that both rings end where they would have.
  EXPECT_LT(verdict.events, 300);
  const auto trips = [](const task::PipelineSystem& system) {
    std::int64_t most = 0;
    for (const task::Task& task : system.tasks) {
      for (const task::Operation& operation : task.operations)
        most = std::max(most, operation.trips);
    }
    return most;
  };
  EXPECT_EQ(trips(*rings.cut), 7);
  EXPECT_GT(trips(rings.system), 39'000);
  EXPECT_EQ((trips(rings.system) - trips(*rings.cut)) % 2, 0);
  const Result<RingDepth> depth = FindDepth(kernel, rings.work, rings.fills.front(), 2);
  ASSERT_TRUE(depth.has_value());
  EXPECT_EQ(depth->needed, 2);
}

TEST(KernelRings, ACutSaysWhatTheWholeSays) {
  for (std::int64_t skew = 0; skew <= 3; ++skew) {
    for (std::int64_t stages = 2; stages <= 4; ++stages) {
      const Kernel kernel =
          Skewed({.trips = 60, .skew = skew, .stages = stages, .producer = Engine::kDve});
      const KernelRings rings = RingsOf(kernel);
      const Placement placement = FixedPlacement(kernel);
      std::vector<Ring> found;
      for (const FillSequence& fills : rings.fills)
        if (auto ring = FindRing(kernel, placement, rings.work, fills)) found.push_back(*ring);
      const UnitPlan plan = PlanUnits(kernel, placement, rings.work, found);
      const Result<Waits> waits = FindWaits(rings.work, plan);
      const Result<task::PipelineSystem> cut =
          BuildSystem(rings.work, plan, *waits, {"cut", rings.system.capacity}, {12, 12});
      const task::Verdict all = VerdictOf(rings.system);
      const task::Verdict some = VerdictOf(*cut);
      EXPECT_LT(some.events, all.events);
      EXPECT_EQ(some.IsClean(), all.IsClean());
      ASSERT_EQ(some.blocked.size(), all.blocked.size());
      EXPECT_EQ(some.structure.empty(), all.structure.empty());
    }
  }
}

}  // namespace
}  // namespace spillway::rings
