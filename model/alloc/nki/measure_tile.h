// The size of a tile, and whether the hardware can hold it where it is wanted.
#pragma once

#include "model/alloc/nki/tile.h"
#include "model/hw/target.h"

namespace spillway::nki {

struct TileMeasure {
  Bytes bytes;    ///< per partition: the free dimensions times the element size
  Bytes element;  ///< the element size
  PartitionCount partitions;
};

/// Errors: kUnknownName "unknown-dtype"; kShape "tile-shape" (no dimension, or one below 1); kLimit
/// "tile-too-large" (past what addresses count); kPartitionRange "tile-partition-range" (more
/// partitions than the memory has); kStartPartition "tile-start-partition" (base_partition isn't a
/// start that the height allows, or the tile ends past the last partition); kMisaligned
/// "tile-alignment" (an alignment that is no positive multiple of the target's smallest).
/// Source: nki_surface.md "User-space allocators"; nki_kernels_and_issues.md 3.2, A4.
Result<TileMeasure> MeasureTile(const TileRequest& request, const Target& target);

/// Bytes of the free dimensions: all but the first, which no byte count knows.
/// Errors: of the above, those of shape, dtype and size.
Result<Bytes> MeasureRow(const TileRequest& request);

/// "(128, 512)", as the library writes shapes.
std::string ShapeText(const std::vector<std::int64_t>& shape);

}  // namespace spillway::nki
