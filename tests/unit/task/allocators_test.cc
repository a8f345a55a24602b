// The facade with the seed's method names: registrations, one layout, one block, barrier addresses.
#include <gmock/gmock.h>

#include "model/alloc/task/smem_allocator.h"
#include "model/alloc/task/tmem_allocator.h"
#include "tests/unit/task/small_resources.h"

namespace spillway::task {
namespace {

using ::testing::HasSubstr;

/// Breaks the rule that a resource makes its allocations once.
class ForgetfulResource : public TaskResource {
 public:
  const std::string& name() const override { return name_; }
  std::vector<RegionHandle<Smem>> SmemRequirements() const override {
    return {SmemRegion("fresh", 64)};
  }
  std::vector<RegionHandle<Tmem>> TmemRequirements() const override {
    return {TmemRegion("fresh", 64)};
  }

 private:
  std::string name_ = "forgetful";
};

TEST(SmemAllocatorTest, ASecondLayoutIsRefusedAndOffsetsStay) {
  const Region<Smem> a = SmemRegion("a", 100, 16);
  const Region<Smem> b = SmemRegion("b", 64, 128);
  SmemAllocator smem;
  ASSERT_EQ(CodeOf(smem.Add(a)), "");
  ASSERT_EQ(CodeOf(smem.Add(b)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(smem.ComputeLayout()), "layout.twice");
  EXPECT_EQ(a->offset(), ByteOffset(64));
  EXPECT_EQ(b->offset(), ByteOffset(0));
  EXPECT_EQ(smem.Total().value(), Bytes(164));
}

TEST(SmemAllocatorTest, AfterTheLayoutRegistrationsAreFrozen) {
  const Region<Smem> a = SmemRegion("a", 64);
  const Region<Smem> late = SmemRegion("late", 64);
  SmallResource resource("r", MakePipeline("r", 1));
  const PipelinePointer member = MakePipeline("m", 1);
  const PipelineGroup group = PipelineGroup::Create("g", GroupMode::kMerge, {member}).value();
  SmemAllocator smem;
  ASSERT_EQ(CodeOf(smem.Add(a)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(smem.Add(late)), "layout.frozen");
  EXPECT_EQ(CodeOf(smem.AddResource(resource)), "layout.frozen");
  EXPECT_EQ(CodeOf(smem.AddPipelineGroup(group)), "layout.frozen");
  EXPECT_EQ(CodeOf(smem.AddTmemSlot(late)), "layout.frozen");
  EXPECT_EQ(CodeOf(smem.AddAliasGroup({{a}, {late}})), "layout.frozen");
}

TEST(SmemAllocatorTest, BeforeTheLayoutNothingIsKnown) {
  SmemAllocator smem;
  EXPECT_EQ(CodeOf(smem.Total()), "layout.missing");
  EXPECT_EQ(CodeOf(smem.DataBytes()), "layout.missing");
  EXPECT_EQ(CodeOf(smem.BarrierBytes()), "layout.missing");
  EXPECT_EQ(CodeOf(smem.UsageReport()), "layout.missing");
  EXPECT_EQ(CodeOf(smem.GetLayout()), "layout.missing");
  EXPECT_EQ(CodeOf(smem.Allocate()), "lifecycle");
}

TEST(SmemAllocatorTest, BarriersOfAResourceLieBehindItsDataAndAreAccountedApart) {
  // 16 stages of 3072 bytes, so 16 pairs of 8-byte barriers.
  SmallResource ab("ab", MakePipeline("ab", 16));
  ab.WithSmem(49152);
  SmemOptions options;
  options.capacity = Bytes(232448);
  SmemAllocator smem(options);
  ASSERT_EQ(CodeOf(smem.AddResource(ab)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(smem.DataBytes().value(), Bytes(49152));
  EXPECT_EQ(smem.BarrierBytes().value(), Bytes(256));
  EXPECT_EQ(smem.Total().value(), Bytes(49408));
  const std::string report = smem.UsageReport().value();
  EXPECT_THAT(report, HasSubstr("Data: 49152 B\nBarriers: 256 B\nTotal: 49408 B\n"));
  EXPECT_THAT(report, HasSubstr("SMEM usage: 49408 B (data 49152 B + barriers 256 B) / 232448 B "
                                "capacity\n"));
  EXPECT_THAT(report, ::testing::Not(HasSubstr("ab.barriers")));
  EXPECT_FALSE(ab.pipeline()->barriers().has_value());
  EXPECT_EQ(CodeOf(smem.AssignBarriers()), "lifecycle");
  ASSERT_EQ(CodeOf(smem.Allocate()), "");
  ASSERT_EQ(CodeOf(smem.AssignBarriers()), "");
  EXPECT_EQ(ab.pipeline()->barriers(), (BarrierPair{ByteOffset(49152), ByteOffset(49280)}));
}

TEST(SmemAllocatorTest, BarriersCanBeOffForAllOrForOneCall) {
  const auto bytes = [](bool by_default, std::optional<bool> by_call) {
    SmallResource r("r", MakePipeline("r", 2));
    SmemAllocator smem({std::nullopt, by_default});
    EXPECT_EQ(CodeOf(smem.AddResource(r, by_call)), "");
    EXPECT_EQ(CodeOf(smem.ComputeLayout()), "");
    return smem.BarrierBytes().value();
  };
  EXPECT_EQ(bytes(true, std::nullopt), Bytes(32));
  EXPECT_EQ(bytes(true, false), Bytes(0));
  EXPECT_EQ(bytes(false, std::nullopt), Bytes(0));
  EXPECT_EQ(bytes(false, true), Bytes(32));
}

TEST(SmemAllocatorTest, APipelineThatHasAnAddressKeepsIt) {
  SmallResource early("early", MakePipeline("early", 2));
  SmallResource late("late", MakePipeline("late", 2));
  const BarrierPair own{ByteOffset(1000), ByteOffset(2000)};
  ASSERT_TRUE(early.pipeline()->GiveBarriers(own));
  SmemAllocator smem;
  ASSERT_EQ(CodeOf(smem.AddResource(early)), "");
  ASSERT_EQ(CodeOf(smem.AddResource(late)), "");
  // An address given after the registration counts as well.
  ASSERT_TRUE(late.pipeline()->GiveBarriers(own));
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(smem.BarrierBytes().value(), Bytes(32));
  ASSERT_EQ(CodeOf(smem.Allocate()), "");
  ASSERT_EQ(CodeOf(smem.AssignBarriers()), "");
  EXPECT_EQ(early.pipeline()->barriers(), own);
  EXPECT_EQ(late.pipeline()->barriers(), own);
}

TEST(SmemAllocatorTest, AGroupHasOneRowOfBarriersLessForEachMemberButOne) {
  const PipelinePointer a = MakePipeline("a", 3, 1, 128);
  const PipelinePointer b = MakePipeline("b", 3, 1, 128);
  const PipelineGroup merge = PipelineGroup::Create("ab", GroupMode::kMerge, {a, b}).value();
  SmallResource resource("a", a);
  SmemAllocator smem;
  // A member's barriers are its group's, not its resource's.
  ASSERT_EQ(CodeOf(smem.AddResource(resource)), "");
  ASSERT_EQ(CodeOf(smem.AddPipelineGroup(merge)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(smem.BarrierBytes().value(), Bytes(72));
  ASSERT_EQ(CodeOf(smem.Allocate()), "");
  ASSERT_EQ(CodeOf(smem.AssignBarriers()), "");
  EXPECT_EQ(a->barriers(), (BarrierPair{ByteOffset(0), ByteOffset(48)}));
  EXPECT_EQ(b->barriers(), (BarrierPair{ByteOffset(24), ByteOffset(48)}));
}

TEST(SmemAllocatorTest, TheBlockHasTheLargestAlignmentAndIsAllocatedOnce) {
  const Region<Smem> a = SmemRegion("a", 100, 1024);
  SmemAllocator smem;
  ASSERT_EQ(CodeOf(smem.Add(a)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  const SmemBlock block = smem.Allocate().value();
  EXPECT_EQ(block, (SmemBlock{ByteOffset(0), Bytes(100), Bytes(1024)}));
  EXPECT_EQ(smem.Allocate().value(), block);
  SmemAllocator none;
  ASSERT_EQ(CodeOf(none.ComputeLayout()), "");
  EXPECT_EQ(none.Allocate().value(), (SmemBlock{ByteOffset(0), Bytes(0), Bytes(128)}));
}

TEST(SmemAllocatorTest, ThereIsOneSlotForTheBaseOfTmem) {
  const Region<Smem> slot = SmemRegion("tmem_ptr", 4, 4);
  const Region<Smem> second = SmemRegion("second", 4, 4);
  SmemAllocator smem;
  EXPECT_FALSE(smem.tmem_slot().has_value());
  EXPECT_EQ(CodeOf(smem.AddTmemSlot(slot)), "");
  EXPECT_EQ(CodeOf(smem.AddTmemSlot(second)), "smem.tmem-slot-twice");
  EXPECT_EQ(smem.tmem_slot(), slot.handle());
}

TEST(SmemAllocatorTest, ViewsAreTypedAndStayInside) {
  ByteRegionOptions options;
  options.name = "half";
  options.element = ElementType{"float16", 16};
  options.count = 8;
  const Region<Smem> half = std::move(Region<Smem>::Create(options).value());
  const Region<Smem> bytes = SmemRegion("bytes", 16, 256);
  const Region<Smem> foreign = SmemRegion("foreign", 16);
  SmemAllocator smem;
  ASSERT_EQ(CodeOf(smem.Add(bytes)), "");
  ASSERT_EQ(CodeOf(smem.Add(half)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(smem.View(half)), "lifecycle");
  ASSERT_EQ(CodeOf(smem.Allocate()), "");
  EXPECT_EQ(smem.View(half).value(), (TypedView{ByteOffset(128), {"float16", 16}, 8}));
  EXPECT_EQ(smem.View(half, 3)->count, 3);
  EXPECT_EQ(CodeOf(smem.View(half, 9)), "view.too-long");
  EXPECT_EQ(CodeOf(smem.View(half, 0)), "view.too-long");
  EXPECT_EQ(CodeOf(smem.View(bytes)), "view.no-element-type");
  EXPECT_EQ(CodeOf(smem.View(foreign)), "view.foreign");
}

TEST(SmemAllocatorTest, ADeclaredSizeMayBeTooShortForItsElements) {
  ByteRegionOptions options;
  options.name = "short";
  options.size = Bytes(6);
  options.element = ElementType{"float16", 16};
  options.count = 4;
  const Region<Smem> region = std::move(Region<Smem>::Create(options).value());
  SmemAllocator smem;
  ASSERT_EQ(CodeOf(smem.Add(region)), "");
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  ASSERT_EQ(CodeOf(smem.Allocate()), "");
  EXPECT_EQ(CodeOf(smem.View(region)), "view.too-long");
  EXPECT_EQ(CodeOf(smem.View(region, 3)), "");
}

TEST(SmemAllocatorTest, ARefusedResourceLeavesNothingBehind) {
  const Region<Smem> taken = SmemRegion("r.barriers", 64);
  SmallResource r("r", MakePipeline("r", 1));
  r.WithSmem(64);
  SmemAllocator smem;
  ASSERT_EQ(CodeOf(smem.Add(taken)), "");
  EXPECT_EQ(CodeOf(smem.AddResource(r)), "layout.duplicate-name");
  EXPECT_FALSE(smem.Knows(r));
  EXPECT_EQ(CodeOf(smem.AddResource(r, false)), "");
  EXPECT_TRUE(smem.Knows(r));
  EXPECT_EQ(CodeOf(smem.AddResource(r, false)), "duplicate-allocation");
}

TEST(SmemAllocatorTest, CapacityIsComparedWithDataAndBarriers) {
  SmallResource r("r", MakePipeline("r", 1));
  r.WithSmem(128);
  SmemAllocator smem({Bytes(143), true});
  ASSERT_EQ(CodeOf(smem.AddResource(r)), "");
  const Result<void> layout = smem.ComputeLayout();
  ASSERT_EQ(CodeOf(layout), "capacity");
  EXPECT_THAT(layout.error().message, HasSubstr("144 B (data 128 B + barriers 16 B) / 143 B"));
  EXPECT_FALSE(smem.HasLayout());
  EXPECT_EQ(CodeOf(smem.Total()), "layout.missing");
}

/// The code of a layout of `bytes` of data in one allocation.
std::string LayoutOf(SmemAllocator& smem, std::int64_t bytes) {
  const Region<Smem> data = SmemRegion("data", bytes);
  EXPECT_EQ(CodeOf(smem.Add(data)), "");
  return CodeOf(smem.ComputeLayout());
}

TEST(SmemAllocatorTest, WithoutAWordOfTheAuthorTheCapacityIsThatOfTheTable) {
  EXPECT_EQ(DefaultGpuCapacity().smem_bytes.value, Bytes(232448));
  EXPECT_EQ(DefaultGpuCapacity().tmem_columns.value, Columns(512));
  SmemAllocator exactly;
  EXPECT_EQ(LayoutOf(exactly, 232448), "");
  SmemAllocator one_more;
  EXPECT_EQ(LayoutOf(one_more, 232449), "capacity");
  SmemAllocator unlimited({kUnlimited, true});
  EXPECT_EQ(LayoutOf(unlimited, 232449), "");
}

TEST(SmemAllocatorTest, EachComputeCapabilityHasItsOwnBoundary) {
  for (const GpuCapacity& row : GpuCapacities()) {
    for (const std::int64_t more : {0, 1}) {
      SmemAllocator smem({row.smem_bytes.value, true});
      EXPECT_EQ(LayoutOf(smem, row.smem_bytes.value.value + more), more == 0 ? "" : "capacity")
          << row.compute_capability;
      TmemAllocator tmem(FindGpuCapacity(row.compute_capability)->tmem_columns.value);
      const Region<Tmem> columns = TmemRegion("c", row.tmem_columns.value.value + more + 1);
      ASSERT_EQ(CodeOf(tmem.Add(columns)), "");
      EXPECT_EQ(CodeOf(tmem.ComputeLayout()), "capacity") << row.compute_capability;
    }
  }
}

TEST(SmemAllocatorTest, TheRefusalGivesBothPartsAndWhatHelps) {
  SmallResource ring("ring", MakePipeline("ring", 2));
  ring.WithSmem(232448 - 31);
  SmemAllocator with_barriers;
  ASSERT_EQ(CodeOf(with_barriers.AddResource(ring)), "");
  const Result<void> refused = with_barriers.ComputeLayout();
  ASSERT_EQ(CodeOf(refused), "capacity");
  EXPECT_THAT(refused.error().message, HasSubstr("+ barriers 32 B) / 232448 B capacity"));
  EXPECT_THAT(refused.error().message, HasSubstr("fewer stages or alias groups need less"));
  const Region<Smem> data = SmemRegion("data", 232449);
  SmemAllocator without;
  ASSERT_EQ(CodeOf(without.Add(data)), "");
  EXPECT_THAT(without.ComputeLayout().error().message, HasSubstr("(data 232449 B + barriers 0 B)"));
}

TEST(TmemAllocatorTest, WithoutAWordOfTheAuthorTheColumnsAreThoseOfTheTable) {
  const Region<Tmem> all = TmemRegion("all", 512);
  TmemAllocator exactly;
  ASSERT_EQ(CodeOf(exactly.Add(all)), "");
  EXPECT_EQ(CodeOf(exactly.ComputeLayout()), "");
  const Region<Tmem> more = TmemRegion("more", 513);
  TmemAllocator one_more;
  ASSERT_EQ(CodeOf(one_more.Add(more)), "");
  const Result<void> refused = one_more.ComputeLayout();
  ASSERT_EQ(CodeOf(refused), "capacity");
  EXPECT_THAT(refused.error().message, HasSubstr("513 columns / 512 columns capacity; fewer "
                                                 "stages or alias groups need less"));
}

TEST(RequirementsTest, AResourceMustReturnTheSameAllocationsEachTime) {
  const ForgetfulResource forgetful;
  SmemAllocator smem;
  TmemAllocator tmem;
  const Result<void> added = smem.AddResource(forgetful);
  EXPECT_EQ(CodeOf(added), "requirement-not-cached");
  EXPECT_THAT(added.error().message, HasSubstr("forgetful"));
  EXPECT_EQ(CodeOf(tmem.AddResource(forgetful)), "requirement-not-cached");
  EXPECT_EQ(CodeOf(forgetful.PhysicalRanges()), "layout.missing");
}

TEST(RequirementsTest, PhysicalRangesAreThoseOfBothSpaces) {
  SmallResource first("first");
  SmallResource r("r");
  first.WithSmem(256).WithTmem(32);
  r.WithSmem(64).WithTmem(16);
  SmemAllocator smem;
  TmemAllocator tmem;
  for (const SmallResource* resource : {&first, &r}) {
    ASSERT_EQ(CodeOf(smem.AddResource(*resource)), "");
    ASSERT_EQ(CodeOf(tmem.AddResource(*resource)), "");
  }
  ASSERT_EQ(CodeOf(smem.ComputeLayout()), "");
  ASSERT_EQ(CodeOf(tmem.ComputeLayout()), "");
  const std::vector<PhysicalRange> expected = {
      {MemorySpace::kSmem, {UnitOffset(256), UnitOffset(320)}},
      {MemorySpace::kTmem, {UnitOffset(32), UnitOffset(48)}}};
  EXPECT_EQ(r.PhysicalRanges().value(), expected);
}

TEST(TmemAllocatorTest, RequestsAreThePowerOfTwoThatHoldsTheLayout) {
  struct Row {
    std::vector<std::int64_t> columns;
    std::int64_t hardware;
  };
  for (const Row& row : {Row{{}, 32}, Row{{1}, 32}, Row{{32}, 32}, Row{{33}, 64},
                         Row{{256, 16, 32}, 512}, Row{{512}, 512}}) {
    TmemAllocator tmem;
    std::vector<Region<Tmem>> regions;
    for (const std::int64_t columns : row.columns) {
      regions.push_back(TmemRegion("t" + std::to_string(regions.size()), columns));
      ASSERT_EQ(CodeOf(tmem.Add(regions.back())), "");
    }
    EXPECT_EQ(CodeOf(tmem.HwColumns()), "layout.missing");
    ASSERT_EQ(CodeOf(tmem.ComputeLayout()), "");
    EXPECT_EQ(tmem.HwColumns().value(), Columns(row.hardware));
    EXPECT_EQ(CodeOf(tmem.CheckRequest(Columns(row.hardware))), "");
    EXPECT_EQ(CodeOf(tmem.CheckRequest(Columns(row.hardware / 2))),
              row.hardware == 32 ? "tmem.request" : "tmem.request-too-small");
    EXPECT_EQ(CodeOf(tmem.CheckRequest(Columns(96))), "tmem.request");
    EXPECT_EQ(CodeOf(tmem.CheckRequest(Columns(1024))), "tmem.request");
    EXPECT_EQ(CodeOf(tmem.CheckRequest(Columns(-1))), "tmem.request");
  }
}

TEST(TmemAllocatorTest, HasTheGuardsOfTheOtherAllocator) {
  const Region<Tmem> sp = TmemRegion("sp", 128);
  const Region<Tmem> vec = TmemRegion("vec", 64);
  const Region<Tmem> late = TmemRegion("late", 64);
  TmemAllocator tmem(Columns(512));
  EXPECT_EQ(CodeOf(tmem.Total()), "layout.missing");
  ASSERT_EQ(CodeOf(tmem.AddAliasGroup({{sp}, {vec}})), "");
  ASSERT_EQ(CodeOf(tmem.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(tmem.ComputeLayout()), "layout.twice");
  EXPECT_EQ(CodeOf(tmem.Add(late)), "layout.frozen");
  EXPECT_EQ(CodeOf(tmem.AddAliasGroup({{late}, {sp}})), "layout.frozen");
  EXPECT_EQ(vec->offset(), ColumnOffset(0));
  EXPECT_EQ(tmem.Total().value(), Columns(128));
  EXPECT_THAT(tmem.UsageReport().value(),
              HasSubstr("TMEM usage: 128 columns / 512 columns capacity"));
}

TEST(TmemAllocatorTest, MoreColumnsThanAnyRequestAreOverCapacity) {
  const Region<Tmem> large = TmemRegion("large", 513);
  const Region<Tmem> also = TmemRegion("also", 513);
  TmemAllocator unlimited(kUnlimited);
  ASSERT_EQ(CodeOf(unlimited.Add(large)), "");
  ASSERT_EQ(CodeOf(unlimited.ComputeLayout()), "");
  EXPECT_EQ(CodeOf(unlimited.HwColumns()), "capacity");
  TmemAllocator limited(Columns(512));
  ASSERT_EQ(CodeOf(limited.Add(also)), "");
  EXPECT_EQ(CodeOf(limited.ComputeLayout()), "capacity");
}

}  // namespace
}  // namespace spillway::task
