#include "model/alloc/nki/measure_tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/alloc/nki/element_bytes.h"
#include "model/alloc/nki/kernel_assert.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

// Far past any memory, and small enough for sums of many tiles to stay in 64 bits.
constexpr std::int64_t kMostTileBytes = std::int64_t{1} << 40;

Result<Bytes> BytesOf(const TileRequest& request, Bytes element) {
  std::int64_t bytes = element.value;
  for (std::size_t d = 1; d < request.shape.size(); ++d) {
    if (request.shape[d] > kMostTileBytes / bytes) {
      return Fail(KernelAssert(
          Kind::kLimit, "tile-too-large",
          fmt::format("tile '{}' {} {} has more than {} bytes per partition", request.name,
                      ShapeText(request.shape), request.dtype, kMostTileBytes)));
    }
    bytes *= request.shape[d];
  }
  return Bytes(bytes);
}

Result<void> CheckPartitions(const TileRequest& request, const Target& target) {
  const PartitionCount height(request.shape.front());
  const PartitionCount all = target.sbuf_partitions;
  if (SPILLWAY_FAULT(N4, height > all, height > all && !fault::IsVariant(1))) {
    return Fail(
        KernelAssert(Kind::kPartitionRange, "tile-partition-range",
                     fmt::format("tile '{}' {} takes {} partitions, expected at most {}",
                                 request.name, ShapeText(request.shape), height.value, all.value)));
  }
  std::vector<Partition> starts = LegalStartPartitions(height);
  std::erase_if(starts, [&](Partition start) { return start + height > Partition(0) + all; });
  const bool is_legal =
      std::find(starts.begin(), starts.end(), request.base_partition) != starts.end();
  if (SPILLWAY_FAULT(N4, is_legal, true)) return {};
  std::vector<std::int64_t> expected;
  for (const Partition start : starts) expected.push_back(start.value);
  return Fail(KernelAssert(
      Kind::kStartPartition, "tile-start-partition",
      fmt::format("tile '{}' {} would take partitions [{}, {}); {} partitions of {} start at {}",
                  request.name, ShapeText(request.shape), request.base_partition.value,
                  (request.base_partition + height).value, height.value, all.value,
                  fmt::join(expected, ", "))));
}

}  // namespace

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape.front())
                           : fmt::format("({})", fmt::join(shape, ", "));
}

Result<Bytes> MeasureRow(const TileRequest& request) {
  const bool is_positive = std::all_of(request.shape.begin(), request.shape.end(),
                                       [](std::int64_t extent) { return extent >= 1; });
  if (request.shape.empty() || !is_positive) {
    return Fail(KernelAssert(
        Kind::kShape, "tile-shape",
        fmt::format("tile '{}' has the shape {}; expected partitions and free dimensions, each at "
                    "least 1",
                    request.name, ShapeText(request.shape))));
  }
  const Result<Bytes> element = ElementBytesOf(request.dtype);
  if (!element) return Fail(element.error());
  return BytesOf(request, *element);
}

Result<TileMeasure> MeasureTile(const TileRequest& request, const Target& target) {
  const Result<Bytes> bytes = MeasureRow(request);
  if (!bytes) return Fail(bytes.error());
  if (const auto checked = CheckPartitions(request, target); !checked) return Fail(checked.error());
  const Bytes least = target.sbuf_min_align;
  if (request.align && (*request.align < least || request.align->value % least.value != 0 ||
                        request.align->value > kMostTileBytes)) {
    return Fail(KernelAssert(
        Kind::kMisaligned, "tile-alignment",
        fmt::format("tile '{}': alignment {} does not satisfy minimum alignment requirement {}: "
                    "expected a positive multiple of it",
                    request.name, request.align->value, least.value)));
  }
  return TileMeasure{*bytes, *ElementBytesOf(request.dtype), PartitionCount(request.shape.front())};
}

}  // namespace spillway::nki
