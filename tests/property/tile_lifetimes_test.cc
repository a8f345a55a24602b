// Lifetimes of tiles: the check of model/alloc/nki against the judges, on random kernels.
#include "model/alloc/nki/check_tile_lifetimes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/alloc/allocate.h"
#include "model/alloc/check/block_reuse.h"
#include "model/alloc/check/dataflow.h"
#include "model/alloc/check/placement_checker.h"
#include "model/alloc/check/reaching_writers.h"
#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/nki/tile_races.h"
#include "model/alloc/place_homes.h"
#include "properties/colouring_round.h"
#include "properties/random_placement.h"
#include "properties/rapidcheck_kernels.h"
#include "properties/rotating_kernel.h"
#include "sim/lower/lower_kernel.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

const Target& Trn2() {
  static const Target target = *FindTarget("trn2");
  return target;
}

std::vector<TensorId> RingsOf(const Kernel& kernel) {
  std::vector<TensorId> rings;
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    if (!kernel.tensors[TensorId(t)].blocks.empty()) rings.emplace_back(t);
  }
  return rings;
}

// The rings of `kernel` with these depths, one behind the other.
Placement WithDepths(const Kernel& kernel, const std::vector<std::int64_t>& depths) {
  Placement placement = FixedPlacement(kernel);
  ByteOffset next(0);
  const std::vector<TensorId> rings = RingsOf(kernel);
  for (std::size_t r = 0; r < rings.size(); ++r) {
    const Tensor& tensor = kernel.tensors[rings[r]];
    const ModuloLaw law{.base_addr = next, .num_free_tiles = {depths[r]}};
    placement.addresses[rings[r]] = *EvaluateModuloLaw(tensor, law);
    const Bytes end =
        RoundUp((next - ByteOffset(0)) + BlockBytes(tensor) * depths[r], Trn2().sbuf_granule.value);
    next = ByteOffset(0) + end;
  }
  return placement;
}

bool ReachingWritersObject(const Kernel& kernel, const Placement& placement) {
  const Result<MemoryMap> memory = MapMemory(kernel, placement, Trn2());
  RC_ASSERT(memory.has_value());
  return !CheckReachingWriters(kernel, kernel, Placement{memory->addresses}).violations.empty();
}

bool OverlapObjects(const Kernel& kernel, const Placement& placement) {
  for (const CheckResult& check : CheckPlacement(Linearize(kernel), placement, Trn2(), {})) {
    if (check.name == "overlap" && !check.violations.empty()) return true;
  }
  return false;
}

// What says each of those who can tell whether the rings are long enough.
struct Verdicts {
  bool lifetimes = false;
  bool reuse = false;
  bool dataflow = false;
  bool reaching = false;
};

Verdicts VerdictsOn(const Kernel& kernel, const Placement& placement) {
  Verdicts objects;
  const LinearKernel linear = Linearize(kernel);
  objects.lifetimes = !nki::CheckTileLifetimes(linear, placement, Trn2()).violations.empty();
  constexpr std::int64_t kSteps = 100000;
  for (const TensorId ring : RingsOf(kernel)) {
    objects.reuse =
        objects.reuse ||
        !check::FindBlockClobbers(linear, ring, placement.addresses[ring], kSteps).clobbers.empty();
  }
  objects.dataflow = !CheckDataflow(kernel, linear, placement, Trn2()).violations.empty();
  objects.reaching = ReachingWritersObject(kernel, placement);
  return objects;
}

TEST(TileLifetimes, OfRotatingKernelsAreJudgedAsByEveryOtherJudge) {
  constexpr int kCases = 300;
  int wrong = 0;
  for (std::uint64_t index = 1; index <= kCases; ++index) {
    const Kernel kernel = DecodeRotating(ProblemBytes(11, index)).kernel;
    std::vector<std::int64_t> depths;
    for (std::size_t r = 0; r < RingsOf(kernel).size(); ++r)
      depths.push_back(1 + static_cast<std::int64_t>((index * 7 + r * 3) % 4));
    const Verdicts objects = VerdictsOn(kernel, WithDepths(kernel, depths));
    EXPECT_EQ(objects.lifetimes, objects.reuse) << index;
    EXPECT_EQ(objects.lifetimes, objects.dataflow) << index;
    EXPECT_EQ(objects.lifetimes, objects.reaching) << index;
    wrong += objects.lifetimes ? 1 : 0;
  }
  std::cout << wrong << " of " << kCases << " wrong\n";
  EXPECT_GE(wrong, kCases * 3 / 10);
  EXPECT_LE(wrong, kCases * 8 / 10);
}

TEST(TileLifetimes, OfRotatingKernelsNeedTheDepthThatTheJudgesNeed) {
  int shortened = 0;
  for (std::uint64_t index = 1; index <= 150; ++index) {
    const Kernel kernel = DecodeRotating(ProblemBytes(12, index)).kernel;
    const std::vector<TensorId> rings = RingsOf(kernel);
    std::vector<std::int64_t> depths;
    for (const TensorId ring : rings) {
      const nki::TileNeeds needs = nki::RequiredTiles(kernel, FixedPlacement(kernel), ring);
      ASSERT_TRUE(needs.correct) << index;
      depths.push_back(needs.correct->tiles);
    }
    const Verdicts enough = VerdictsOn(kernel, WithDepths(kernel, depths));
    EXPECT_FALSE(enough.lifetimes || enough.reuse || enough.dataflow || enough.reaching) << index;
    for (std::size_t r = 0; r < rings.size(); ++r) {
      if (depths[r] == 1) continue;
      ++shortened;
      --depths[r];
      const Verdicts fewer = VerdictsOn(kernel, WithDepths(kernel, depths));
      EXPECT_TRUE(fewer.lifetimes && fewer.reuse && fewer.dataflow && fewer.reaching) << index;
      ++depths[r];
    }
  }
  EXPECT_GE(shortened, 150);
}

TEST(TileLifetimes, OfAllocatedKernelsAreRight) {
  Shares shares;
  const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(Trn2());
  CheckProperty("lifetimes of allocations", 300, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const MemoryNeeds needs = NeedsOf(kernel, Trn2().sbuf_granule);
    AllocateOptions options;
    options.sbuf_bytes = c.Between(needs.largest_working_set, needs.peak);
    const Result<Allocation> allocation = Allocate(kernel, Trn2(), *hwm, options);
    RC_ASSERT(allocation.has_value());
    const nki::TileLifetimeReport report =
        nki::ReportTileLifetimes(allocation->kernel, allocation->placement, Trn2());
    if (!report.check.violations.empty()) RC_FAIL(report.check.violations.front().text);
    RC_ASSERT(report.complete);
    shares.Case();
    shares.Count("spilled", !allocation->sbuf.spilled.empty());
    shares.Count("looked at", report.check.checked > 3);
  });
  shares.AtLeast("spilled", 40);
  shares.AtLeast("looked at", 60);
}

TEST(TileLifetimes, OfRandomPlacementsAreWrongWhereverTheRunReadsAnotherWriter) {
  Shares shares;
  CheckProperty("lifetimes of placements", 1000, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const Placement placement = DecodePlacement(kernel, Trn2(), *AnyBytes(40));
    const bool reaching = ReachingWritersObject(kernel, placement);
    const bool overlap = OverlapObjects(kernel, placement);
    const nki::TileLifetimeReport report = nki::ReportTileLifetimes(kernel, placement, Trn2());
    const bool wrong = !report.check.violations.empty();
    if (reaching && !wrong) RC_FAIL("the run reads another writer, and no lifetime is wrong");
    if (wrong && !overlap) RC_FAIL(report.check.violations.front().text);
    shares.Case();
    shares.Count("wrong", wrong);
    shares.Count("right", !wrong);
  });
  shares.AtLeast("wrong", 20);
  shares.AtLeast("right", 20);
}

TEST(TileRaces, AppearWhereAWaitForTheReaderOfATileIsDroppedAndNameADepthThatNeedsNone) {
  int races = 0;
  int deeper = 0;
  int shorter = 0;
  for (std::uint64_t index = 1; index <= 30; ++index) {
    const AllocationProblem problem = DecodeRotating(ProblemBytes(13, index));
    const Result<Allocation> placed = AllocateHomes(problem.kernel, Trn2());
    ASSERT_TRUE(placed.has_value());
    const Result<LoweredKernel> whole = LowerKernel(placed->kernel, placed->placement, Trn2());
    ASSERT_TRUE(whole.has_value());
    const Placement places{whole->memory.addresses};
    EXPECT_TRUE(
        nki::CheckTileRaces({placed->kernel, whole->program, places, Trn2()}).violations.empty());
    for (std::size_t wait = 0; wait < whole->counts.waits; ++wait) {
      LowerOptions options;
      options.dropped_waits = {wait};
      const Result<LoweredKernel> broken =
          LowerKernel(placed->kernel, placed->placement, Trn2(), options);
      ASSERT_TRUE(broken.has_value());
      const PlayedKernel played{placed->kernel, broken->program, places, Trn2()};
      const auto races_on = [&](const Placement& other) {
        return nki::FindTileRaces({placed->kernel, broken->program, other, Trn2()});
      };
      for (const nki::TileRace& race : nki::FindTileRaces(played).races) {
        ++races;
        EXPECT_NE(race.first.block, race.second.block);
        EXPECT_FALSE(CheckRaces(played).violations.empty());
        const CheckResult told = nki::CheckTileRaces(played);
        ASSERT_FALSE(told.violations.empty());
        EXPECT_NE(told.violations.front().text.find("with the waits that are there "),
                  std::string::npos)
            << told.violations.front().text;
        ASSERT_TRUE(race.enough.has_value());
        EXPECT_GT(race.enough->counts.tiles, race.tiles_there);
        Placement longer = places;
        const Tensor& ring = placed->kernel.tensors[race.first.tensor];
        // Out of the others' way, so that only this ring changes.
        nki::EnoughTiles apart = *race.enough;
        apart.law.base_addr = ByteOffset(100000);
        longer.addresses[race.first.tensor] = *EvaluateModuloLaw(ring, apart.law);
        deeper += races_on(longer).races.empty() ? 1 : 0;
        if (race.enough->counts.tiles == 1 + race.tiles_there) continue;
        --apart.law.num_free_tiles.front();
        longer.addresses[race.first.tensor] = *EvaluateModuloLaw(ring, apart.law);
        ++shorter;
        EXPECT_TRUE(!races_on(longer).races.empty() ||
                    !nki::FindTileFaults(placed->kernel, longer).faults.empty());
      }
    }
  }
  std::cout << races << " races, " << deeper << " gone with the depth that was named, " << shorter
            << " tried with a tile less\n";
  EXPECT_GE(races, 20);
  EXPECT_EQ(deeper, races);
  EXPECT_GE(shorter, 20);
}

}  // namespace
}  // namespace spillway
