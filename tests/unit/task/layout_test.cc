// The layout that all spaces share. The numbers are those of ts_pipelines.md §2, tests L1 to L8.
#include <gmock/gmock.h>

#include "model/alloc/task/layout_builder.h"
#include "tests/unit/task/small_resources.h"

namespace spillway::task {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Item {
  std::string name;
  std::int64_t size;
  std::int64_t alignment;
  std::int64_t offset;  ///< expected
};

/// Plain items in order, then one group of phases.
struct LayoutCase {
  std::string name;
  std::vector<Item> plain;
  std::vector<std::vector<Item>> phases;
  std::int64_t total;
  std::int64_t saved;
};

std::vector<LayoutCase> Cases() {
  return {
      {"L1", {{"a", 100, 16, 64}, {"b", 64, 128, 0}, {"c", 4, 4, 164}}, {}, 168, 0},
      {"L2",
       {{"s", 8, 64, 0}},
       {{{"p", 40, 8, 32}, {"q", 24, 16, 80}}, {{"r", 72, 32, 32}}},
       104,
       40},
      {"L3",
       {},
       {{{"A", 4096, 128, 0}, {"B", 4096, 128, 4096}}, {{"C", 8192, 128, 0}}},
       8192,
       8192},
      {"L4",
       {{"x", 10, 32, 0}, {"y", 10, 32, 32}},
       {{{"z", 10, 32, 64}}, {{"w", 4, 4, 64}}},
       74,
       -40},
      {"L5", {{"acc", 256, 1, 0}, {"sfa", 16, 1, 256}, {"sfb", 32, 1, 272}}, {}, 304, 0},
      {"L6", {{"o", 128, 1, 0}}, {{{"sp", 128, 1, 128}}, {{"vec", 64, 1, 128}}}, 256, 64},
  };
}

class LayoutCaseTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(LayoutCaseTest, HasTheOffsetsAndTotalOfItsRow) {
  const LayoutCase& row = GetParam();
  LayoutBuilder<Smem> builder;
  std::vector<std::pair<Region<Smem>, std::int64_t>> expected;
  const auto make = [&](const Item& item) {
    expected.emplace_back(SmemRegion(item.name, item.size, item.alignment), item.offset);
    return expected.back().first.handle();
  };
  for (const Item& item : row.plain) ASSERT_TRUE(builder.Add(make(item)).has_value());
  if (!row.phases.empty()) {
    AliasPhases<Smem> phases;
    for (const std::vector<Item>& phase : row.phases) {
      phases.emplace_back();
      for (const Item& item : phase) phases.back().push_back(make(item));
    }
    ASSERT_TRUE(builder.AddAliasGroup(phases).has_value());
  }
  const Result<Layout> layout = std::move(builder).Build();
  ASSERT_TRUE(layout.has_value()) << layout.error().ToString();
  for (const auto& [region, offset] : expected)
    EXPECT_EQ(region->offset(), ByteOffset(offset)) << region->name();
  EXPECT_EQ(layout->total, Units(row.total));
  // Padding counts against what aliasing saves, so a sum may be negative.
  EXPECT_EQ(SavedByAliasing(*layout), Units(row.saved));
}

INSTANTIATE_TEST_SUITE_P(Rows, LayoutCaseTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

TEST(LayoutTest, AMemberOfAGroupNeedNotBeAddedAndMayBe) {
  // s | group [p] / [q], with p added before the group, and r only after its group named it.
  for (const bool early : {true, false}) {
    const Region<Smem> s = SmemRegion("s", 128);
    const Region<Smem> p = SmemRegion("p", 256);
    const Region<Smem> q = SmemRegion("q", 128);
    LayoutBuilder<Smem> builder;
    if (early) {
      ASSERT_TRUE(builder.Add(p).has_value());
    }
    ASSERT_TRUE(builder.AddAliasGroup({{p}, {q}}).has_value());
    ASSERT_TRUE(builder.Add(s).has_value());
    if (!early) {
      ASSERT_TRUE(builder.Add(p).has_value());
    }
    const Layout layout = std::move(builder).Build().value();
    EXPECT_EQ(s->offset(), ByteOffset(0));
    EXPECT_EQ(p->offset(), ByteOffset(128));
    EXPECT_EQ(q->offset(), ByteOffset(128));
    EXPECT_EQ(layout.total, Units(384));
  }
}

TEST(LayoutTest, APhaseMayBeTheLargestWhereverItStands) {
  for (const bool first : {true, false}) {
    const Region<Smem> small = SmemRegion("small", 64, 64);
    const Region<Smem> large = SmemRegion("large", 192, 64);
    const Region<Smem> behind = SmemRegion("behind", 4, 4);
    LayoutBuilder<Smem> builder;
    ASSERT_TRUE(builder.Add(behind).has_value());
    const AliasPhases<Smem> phases =
        first ? AliasPhases<Smem>{{large}, {small}} : AliasPhases<Smem>{{small}, {large}};
    ASSERT_TRUE(builder.AddAliasGroup(phases).has_value());
    ASSERT_TRUE(std::move(builder).Build().has_value());
    EXPECT_EQ(behind->offset(), ByteOffset(192));
  }
}

TEST(LayoutTest, NestedAlternativesShareWhatTheyCan) {
  //  0       64      128     192     256
  //  |  a    |       b       |               Seq(a, Alt(b, c))
  //  |       |  c    |
  //  |               d               |       d
  const Region<Smem> a = SmemRegion("a", 64, 64);
  const Region<Smem> b = SmemRegion("b", 128, 64);
  const Region<Smem> c = SmemRegion("c", 64, 64);
  const Region<Smem> d = SmemRegion("d", 256, 64);
  using Tree = AliasTree<RegionHandle<Smem>>;
  LayoutBuilder<Smem> builder;
  ASSERT_TRUE(
      builder
          .AddAliasTree(Tree::Alt(
              {Tree::Seq({Tree::Of(a), Tree::Alt({Tree::Of(b), Tree::Of(c)})}), Tree::Of(d)}))
          .has_value());
  const Layout layout = std::move(builder).Build().value();
  EXPECT_EQ(a->offset(), ByteOffset(0));
  EXPECT_EQ(b->offset(), ByteOffset(64));
  EXPECT_EQ(c->offset(), ByteOffset(64));
  EXPECT_EQ(d->offset(), ByteOffset(0));
  EXPECT_EQ(layout.total, Units(256));
}

TEST(LayoutTest, MisusesOfGroupsAreRefusedWithTheirCodes) {
  const Region<Smem> a = SmemRegion("a", 64);
  const Region<Smem> b = SmemRegion("b", 64);
  const Region<Smem> c = SmemRegion("c", 64);
  ByteRegionOptions options;
  options.name = "remote";
  options.size = Bytes(64);
  options.remote_writer = true;
  const Region<Smem> remote = std::move(Region<Smem>::Create(options).value());
  LayoutBuilder<Smem> builder;
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({})), "alias.too-few-phases");
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{a}})), "alias.too-few-phases");
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{a}, {}})), "alias.empty-phase");
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{a}, {b, a}})), "alias.duplicate");
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{a}, {remote}})), "alias.remote-writer");
  // None of the refusals left anything behind.
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{a}, {b}})), "");
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{c}, {b}})), "alias.duplicate");
  EXPECT_EQ(CodeOf(builder.Add(remote)), "");
  const Layout layout = std::move(builder).Build().value();
  EXPECT_EQ(layout.total, Units(192));
}

TEST(LayoutTest, RegionsAreToldApartByIdentityAndNeedTheirOwnNames) {
  const Region<Smem> a = SmemRegion("a", 64);
  const Region<Smem> twin = SmemRegion("a", 64);
  LayoutBuilder<Smem> builder;
  EXPECT_EQ(CodeOf(builder.Add(a)), "");
  EXPECT_EQ(CodeOf(builder.Add(a)), "duplicate-allocation");
  EXPECT_EQ(CodeOf(builder.Add(twin)), "layout.duplicate-name");
  const Region<Smem> other = SmemRegion("other", 64);
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{other}, {twin}})), "layout.duplicate-name");
  const Region<Smem> x = SmemRegion("x", 64);
  const Region<Smem> also_x = SmemRegion("x", 64);
  EXPECT_EQ(CodeOf(builder.AddAliasGroup({{x}, {also_x}})), "layout.duplicate-name");
}

TEST(LayoutTest, ARegionLiesInOneLayout) {
  const Region<Smem> a = SmemRegion("a", 64);
  LayoutBuilder<Smem> one;
  LayoutBuilder<Smem> two;
  LayoutBuilder<Smem> three;
  ASSERT_TRUE(one.Add(a).has_value());
  ASSERT_TRUE(two.Add(a).has_value());
  ASSERT_TRUE(std::move(one).Build().has_value());
  EXPECT_EQ(CodeOf(std::move(two).Build()), "duplicate-allocation");
  EXPECT_EQ(CodeOf(three.Add(a)), "duplicate-allocation");
}

TEST(LayoutTest, OverCapacityNothingIsPlaced) {
  const Region<Smem> a = SmemRegion("a", 100, 4);
  LayoutBuilder<Smem> builder(Bytes(99));
  ASSERT_TRUE(builder.Add(a).has_value());
  const Result<Layout> layout = std::move(builder).Build();
  ASSERT_FALSE(layout.has_value());
  EXPECT_EQ(layout.error().code, "capacity");
  EXPECT_EQ(layout.error().kind, Kind::kCapacity);
  EXPECT_THAT(layout.error().message, HasSubstr("100 B / 99 B capacity"));
  EXPECT_FALSE(a->offset().has_value());
}

struct RegionCase {
  std::string name;
  std::int64_t size;
  std::int64_t alignment;
  std::int64_t bits;  ///< 0: no element type
  std::int64_t count;
  std::int64_t expected;  ///< size; 0: refused
  std::string code;
};

class RegionCaseTest : public ::testing::TestWithParam<RegionCase> {};

TEST_P(RegionCaseTest, HasItsSizeOrIsRefused) {
  const RegionCase& row = GetParam();
  ByteRegionOptions options;
  options.name = "a";
  options.size = Bytes(row.size);
  options.alignment = row.alignment;
  if (row.bits != 0) options.element = ElementType{"element", row.bits};
  options.count = row.count;
  const Result<Region<Smem>> region = Region<Smem>::Create(options);
  EXPECT_EQ(CodeOf(region), row.code);
  if (region) {
    EXPECT_EQ((*region)->size(), Bytes(row.expected));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RegionCaseTest,
    ::testing::Values(
        RegionCase{"FourBitTypesPack", 0, 1, 4, 5, 3, ""},
        RegionCase{"SixteenBitTypes", 0, 128, 16, 3, 6, ""},
        RegionCase{"ASizeWinsOverTheType", 100, 128, 16, 3, 100, ""},
        RegionCase{"BytesAlone", 7, 1, 0, 1, 7, ""},
        RegionCase{"NoSize", 0, 128, 0, 1, 0, "layout.size"},
        RegionCase{"ANegativeSize", -1, 128, 0, 1, 0, "layout.size"},
        RegionCase{"L8AlignmentTwentyFour", 64, 24, 0, 1, 0, "layout.alignment"},
        RegionCase{"NoAlignment", 64, 0, 0, 1, 0, "layout.alignment"},
        RegionCase{"ANegativeAlignment", 64, -8, 0, 1, 0, "layout.alignment"},
        RegionCase{"NoWidth", 0, 128, -1, 4, 0, "layout.element-type"},
        RegionCase{"NoElements", 0, 128, 16, 0, 0, "layout.element-type"},
        RegionCase{"MoreThanMemoriesHold", std::int64_t{1} << 41, 1, 0, 1, 0, "limit"},
        RegionCase{"MoreElementsThanBytesCount", 0, 1, 64, std::int64_t{1} << 60, 0, "limit"}),
    [](const auto& test) { return test.param.name; });

TEST(RegionTest, DefaultsAreThoseOfTheSpace) {
  EXPECT_EQ((*Region<Smem>::Create({"a", Bytes(1), {}, {}, 1, false}))->alignment(), 128);
  EXPECT_EQ((*Region<Sbuf>::Create({"a", Bytes(1), {}, {}, 1, false}))->alignment(), 1);
  EXPECT_EQ((*Region<Psum>::Create({"a", Bytes(1), {}, {}, 1, false}))->alignment(), 2048);
  EXPECT_EQ(TmemRegion("a", 3)->alignment(), 1);
  EXPECT_EQ(CodeOf(Region<Tmem>::Create({"a", Columns(0)})), "layout.size");
}

TEST(UsageReportTest, ShowsPlacesPhasesAndWhatAliasingSaves) {
  const Region<Smem> a = SmemRegion("ab_a", 4096);
  const Region<Smem> b = SmemRegion("ab_b", 4096);
  const Region<Smem> c = SmemRegion("staging", 8192);
  const Region<Smem> flag = SmemRegion("flag", 4, 4);
  LayoutBuilder<Smem> builder;
  ASSERT_TRUE(builder.Add(flag).has_value());
  ASSERT_TRUE(builder.AddAliasGroup({{a, b}, {c}}).has_value());
  const Layout layout = std::move(builder).Build().value();
  EXPECT_EQ(UsageReport(layout),
            "[smem-layout] Memory Usage Report\n"
            "  Name           Size  Alignment    Offset       End\n"
            "  ab_a *         4096        128         0      4096\n"
            "  staging *      8192        128         0      8192\n"
            "  ab_b *         4096        128      4096      8192\n"
            "  flag              4          4      8192      8196\n"
            "Alias group 1:\n"
            "  Phase 1: ab_a (4096 B), ab_b (4096 B)\n"
            "  Phase 2: staging (8192 B)\n"
            "Total: 8196 B\n"
            "Saved (aliasing): 8192 B\n");
  EXPECT_EQ(UsageSummary(layout), "SMEM usage: 8196 B");
}

TEST(UsageReportTest, LeavesOutAnAlignmentThatNothingHasAndSavingsThatAreNone) {
  const Region<Tmem> acc = TmemRegion("acc", 256);
  LayoutBuilder<Tmem> builder(Columns(512));
  ASSERT_TRUE(builder.Add(acc).has_value());
  const Layout layout = std::move(builder).Build().value();
  const std::string report = UsageReport(layout);
  EXPECT_THAT(report, StartsWith("[tmem-layout] Memory Usage Report\n"));
  EXPECT_THAT(report, ::testing::Not(HasSubstr("Alignment")));
  EXPECT_THAT(report, ::testing::Not(HasSubstr("Saved")));
  EXPECT_THAT(report, HasSubstr("Total: 256 columns\n"));
  EXPECT_EQ(UsageSummary(layout), "TMEM usage: 256 columns / 512 columns capacity");
}

}  // namespace
}  // namespace spillway::task
