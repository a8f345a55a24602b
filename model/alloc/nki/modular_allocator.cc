#include "model/alloc/nki/modular_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/nki/kernel_assert.h"
#include "model/alloc/nki/measure_tile.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

// No kernel lists more tiles.
constexpr std::int64_t kMostTiles = std::int64_t{1} << 20;

Result<std::int64_t> CountOf(const ModularRequest& request, const std::vector<std::int64_t>& counts,
                             std::string_view what) {
  std::int64_t product = 1;
  for (const std::int64_t count : counts) {
    if (count < 1) {
      return Fail(KernelAssert(Kind::kLimit, "modular-count",
                               fmt::format("tile '{}': {} {} holds {}, expected at least 1",
                                           request.tile.name, what, ShapeText(counts), count)));
    }
    if (count > kMostTiles / product) {
      return Fail(
          KernelAssert(Kind::kLimit, "modular-tiles",
                       fmt::format("tile '{}': {} {} makes more than {} tiles", request.tile.name,
                                   what, ShapeText(counts), kMostTiles)));
    }
    product *= count;
  }
  return product;
}

// The physical tile of the logical tile number `tile`.
std::int64_t SlotOf(std::int64_t tile, const std::vector<std::int64_t>& block_dim,
                    const std::vector<std::int64_t>& physical) {
  std::int64_t slot = 0;
  std::int64_t stride = 1;
  for (std::size_t d = block_dim.size(); d-- > 0;) {
    const std::int64_t index = tile % block_dim[d];
    tile /= block_dim[d];
    const std::int64_t count = SPILLWAY_FAULT(
        N8, physical[d],
        fault::IsVariant(2) ? std::max<std::int64_t>(1, physical[d] - 1) : physical[d]);
    slot += index % count * stride;
    stride *= physical[d];
  }
  return slot;
}

Error OutOfMemory(const ModularRequest& request, Bytes tile_bytes, std::int64_t physical,
                  std::int64_t logical, ByteOffset start, const Interval<ByteOffset>& window) {
  const Bytes room = std::max(Bytes(0), window.end - start);
  return KernelAssert(
      Kind::kCapacity, "modular-out-of-memory",
      fmt::format("Modular allocation out of memory: tile '{}' {} {}: {} logical tiles over {} "
                  "physical ones of {} B need [{}, {}); {} B are free from {} on in the window "
                  "[{}, {}), which hold {} tiles; take smaller num_free_tiles",
                  request.tile.name, ShapeText(request.tile.shape), request.tile.dtype, logical,
                  physical, tile_bytes.value, start.value, (start + tile_bytes * physical).value,
                  room.value, start.value, window.begin.value, window.end.value,
                  room / tile_bytes));
}

}  // namespace

const TileAllocation& ModularTiles::At(std::span<const std::int64_t> index) const {
  SPILLWAY_CHECK(index.size() == block_dim.size(), "one index a block dimension");
  std::int64_t tile = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    SPILLWAY_CHECK(index[d] >= 0 && index[d] < block_dim[d], "an index within its dimension");
    tile = tile * block_dim[d] + index[d];
  }
  return tiles[static_cast<std::size_t>(tile)];
}

Result<ModularAllocator> ModularAllocator::Create(const Target& target,
                                                  std::optional<Interval<ByteOffset>> window) {
  const ByteOffset end = ByteOffset(0) + target.sbuf_usable_bytes.value;
  const Interval<ByteOffset> wanted = window.value_or(Interval<ByteOffset>{ByteOffset(0), end});
  if (wanted.begin < ByteOffset(0) || wanted.end > end || wanted.end < wanted.begin) {
    return Fail(KernelAssert(
        Kind::kOutOfRange, "modular-window",
        fmt::format(
            "the window [{}, {}) isn't within the usable bytes [0, {}) of a partition of {}",
            wanted.begin.value, wanted.end.value, end.value, target.name)));
  }
  return ModularAllocator(target, wanted);
}

Result<ModularTiles> ModularAllocator::Alloc(const ModularRequest& request) {
  if (request.tile.space != Space::kSbuf) {
    return Fail(KernelAssert(
        Kind::kMemorySpace, "modular-buffer",
        fmt::format("modular allocation is only supported for SBUF tensors: tile '{}' lies in {}",
                    request.tile.name, SpaceName(request.tile.space))));
  }
  const Result<TileMeasure> measure = MeasureTile(request.tile, target_);
  if (!measure) return Fail(measure.error());
  std::vector<std::int64_t> counts = request.num_free_tiles;
  if (counts.empty()) counts.assign(request.block_dim.size(), 1);
  if (counts.size() != request.block_dim.size()) {
    return Fail(KernelAssert(
        Kind::kShape, "modular-counts",
        fmt::format(
            "tile '{}': num_free_tiles has {} dimensions and block_dim {}; expected none or "
            "as many",
            request.tile.name, counts.size(), request.block_dim.size())));
  }
  const Result<std::int64_t> logical = CountOf(request, request.block_dim, "block_dim");
  if (!logical) return Fail(logical.error());
  const Result<std::int64_t> physical = CountOf(request, counts, "num_free_tiles");
  if (!physical) return Fail(physical.error());

  const Bytes bytes = measure->bytes;
  const Bytes align =
      request.tile.align.value_or(RoundUp(measure->element, target_.sbuf_min_align.value));
  if (*physical > 1 && bytes.value % align.value != 0) {
    return Fail(KernelAssert(
        Kind::kMisaligned, "modular-alignment",
        fmt::format(
            "tile '{}' {} {} has {} B per partition, no multiple of the alignment {}: of its "
            "{} physical tiles only some would lie on it; pad the tile to {} B",
            request.tile.name, ShapeText(request.tile.shape), request.tile.dtype, bytes.value,
            align.value, *physical, RoundUp(bytes, align).value)));
  }
  const ByteOffset start(RoundUp(cursor_.value, align.value));
  if (SPILLWAY_FAULT(
          N8, bytes.value > (window_.end - start).value / *physical,
          !fault::IsVariant(0) && bytes.value > (window_.end - start).value / *physical)) {
    return Fail(OutOfMemory(request, bytes, *physical, *logical, start, window_));
  }

  ModularTiles made{request.block_dim, {}, {start, start + bytes * *physical}};
  for (std::int64_t i = 0; i < *logical; ++i) {
    TileAllocation tile;
    tile.name = request.tile.name;
    tile.shape = request.tile.shape;
    tile.dtype = request.tile.dtype;
    tile.bytes = bytes;
    tile.address =
        Address{request.tile.base_partition, start + bytes * SlotOf(i, request.block_dim, counts)};
    made.tiles.push_back(std::move(tile));
  }
  const std::int64_t taken =
      SPILLWAY_FAULT(N8, *physical, fault::IsVariant(1) ? *logical : *physical);
  cursor_ = start + bytes * taken;
  return made;
}

}  // namespace spillway::nki
