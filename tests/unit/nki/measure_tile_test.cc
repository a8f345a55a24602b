// Sizes of tiles, and where the hardware can't hold them.
#include "model/alloc/nki/measure_tile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/nki/element_bytes.h"
#include "model/alloc/nki/kernel_assert.h"
#include "tests/unit/nki/stack_fixture.h"

namespace spillway::nki {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Source: nki_surface.md "User-space allocators", element sizes.
struct ElementRow {
  const char* dtype;
  std::int64_t bytes;
};
constexpr ElementRow kElements[] = {
    {"float32", 4},        {"int32", 4},
    {"uint32", 4},         {"bfloat16", 2},
    {"float16", 2},        {"int16", 2},
    {"uint16", 2},         {"int8", 1},
    {"uint8", 1},          {"float8_e4m3", 1},
    {"float8_e5m2", 1},    {"float8_e4m3fn_x4", 4},
    {"float8_e5m2_x4", 4}, {"float4_e2m1fn_x4", 2},
    {"tfloat32", 4},
};

TEST(ElementBytes, ArePerKindAndPackedKindsCountAsOne) {
  for (const ElementRow& row : kElements)
    EXPECT_EQ(ElementBytesOf(row.dtype), Bytes(row.bytes)) << row.dtype;
}

TEST(ElementBytes, OfAnUnknownKindAreAnErrorThatListsTheKnown) {
  const Result<Bytes> size = ElementBytesOf("float64");
  ASSERT_FALSE(size.has_value());
  EXPECT_EQ(size.error().code, "unknown-dtype");
  EXPECT_THAT(size.error().message, StartsWith(std::string(kKernelAssertPrefix) + "dtype size"));
  EXPECT_THAT(size.error().message, HasSubstr("'float64'; expected one of float32"));
}

TEST(MeasureTile, CountsTheFreeDimensionsAndNotThePartitions) {
  const auto measure = MeasureTile({"t", {64, 3, 5}, "bfloat16", Space::kSbuf, {}, {}}, Trn2());
  ASSERT_TRUE(measure.has_value()) << measure.error().ToString();
  EXPECT_EQ(measure->bytes, Bytes(30));
  EXPECT_EQ(measure->element, Bytes(2));
  EXPECT_EQ(measure->partitions, PartitionCount(64));
}

TEST(MeasureTile, OfPartitionsAloneIsOneElement) {
  EXPECT_EQ(MeasureTile({"t", {128}, "float32", Space::kSbuf, {}, {}}, Trn2())->bytes, Bytes(4));
}

struct Refusal {
  const char* what;
  TileRequest request;
  Kind kind;
  const char* code;
  const char* words;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, NamesTheTileAndWhatIsExpected) {
  const Refusal& row = GetParam();
  const auto measure = MeasureTile(row.request, Trn2());
  ASSERT_FALSE(measure.has_value());
  EXPECT_EQ(measure.error().kind, row.kind);
  EXPECT_EQ(measure.error().code, row.code);
  EXPECT_THAT(measure.error().message, StartsWith(std::string(kKernelAssertPrefix)));
  EXPECT_THAT(measure.error().message, HasSubstr(row.words));
}

TileRequest Request(std::vector<std::int64_t> shape, std::int64_t base,
                    std::optional<Bytes> align = {}) {
  return {"t", std::move(shape), "float32", Space::kSbuf, Partition(base), align};
}

INSTANTIATE_TEST_SUITE_P(
    Tiles, Refused,
    testing::Values(
        Refusal{"NoDimension", Request({}, 0), Kind::kShape, "tile-shape", "shape ()"},
        Refusal{"NoPartition", Request({0, 4}, 0), Kind::kShape, "tile-shape", "(0, 4)"},
        Refusal{"AnEmptyDimension", Request({4, 0}, 0), Kind::kShape, "tile-shape", "(4, 0)"},
        Refusal{"ANegativeDimension", Request({4, -1}, 0), Kind::kShape, "tile-shape", "(4, -1)"},
        Refusal{"TooManyBytes", Request({4, std::int64_t{1} << 39}, 0), Kind::kLimit,
                "tile-too-large", "1099511627776 bytes"},
        Refusal{"AProductOver64Bits", Request({4, std::int64_t{1} << 36, std::int64_t{1} << 36}, 0),
                Kind::kLimit, "tile-too-large", "tile 't'"},
        Refusal{"OnePartitionTooMany", Request({129, 4}, 0), Kind::kPartitionRange,
                "tile-partition-range", "takes 129 partitions, expected at most 128"},
        // A4 of nki_kernels_and_issues.md 3.2: partitions 96..159.
        Refusal{"TwoQuadrantsAtTheLast", Request({64, 4}, 96), Kind::kStartPartition,
                "tile-start-partition", "[96, 160); 64 partitions of 128 start at 0, 64"},
        Refusal{"TwoQuadrantsAcrossHalves", Request({33, 4}, 32), Kind::kStartPartition,
                "tile-start-partition", "start at 0, 64"},
        Refusal{"ThreeQuadrantsAtAHalf", Request({65, 4}, 64), Kind::kStartPartition,
                "tile-start-partition", "start at 0"},
        Refusal{"AQuadrantBetween", Request({32, 4}, 16), Kind::kStartPartition,
                "tile-start-partition", "start at 0, 32, 64, 96"},
        Refusal{"ANegativeStart", Request({32, 4}, -32), Kind::kStartPartition,
                "tile-start-partition", "[-32, 0)"},
        Refusal{"NoAlignment", Request({32, 4}, 0, Bytes(0)), Kind::kMisaligned, "tile-alignment",
                "alignment 0 does not satisfy minimum alignment requirement 1"},
        Refusal{"ANegativeAlignment", Request({32, 4}, 0, Bytes(-4)), Kind::kMisaligned,
                "tile-alignment", "alignment -4"}),
    [](const auto& row) { return std::string(row.param.what); });

TEST(MeasureTile, TakesEveryStartThatTheHeightAllows) {
  struct Row {
    std::int64_t height;
    std::vector<std::int64_t> starts;
  };
  for (const Row& row : {Row{1, {0, 32, 64, 96}}, Row{32, {0, 32, 64, 96}}, Row{33, {0, 64}},
                         Row{64, {0, 64}}, Row{65, {0}}, Row{128, {0}}}) {
    std::vector<std::int64_t> taken;
    for (std::int64_t base = 0; base < 128; ++base) {
      if (MeasureTile(Request({row.height, 4}, base), Trn2())) taken.push_back(base);
    }
    EXPECT_EQ(taken, row.starts) << row.height;
  }
}

TEST(MeasureTile, KeepsToTheTargetsSmallestAlignmentAndItsPartitions) {
  Target target = Trn2();
  target.sbuf_min_align.value = Bytes(8);
  EXPECT_EQ(CodeOf(MeasureTile(Request({32, 4}, 0, Bytes(4)), target)), "tile-alignment");
  EXPECT_EQ(CodeOf(MeasureTile(Request({32, 4}, 0, Bytes(12)), target)), "tile-alignment");
  EXPECT_TRUE(MeasureTile(Request({32, 4}, 0, Bytes(16)), target).has_value());
  target.sbuf_partitions.value = PartitionCount(64);
  EXPECT_EQ(CodeOf(MeasureTile(Request({65, 4}, 0), target)), "tile-partition-range");
  EXPECT_EQ(CodeOf(MeasureTile(Request({32, 4}, 64), target)), "tile-start-partition");
}

}  // namespace
}  // namespace spillway::nki
