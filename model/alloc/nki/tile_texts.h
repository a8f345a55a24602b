// What the findings of "tile-lifetimes" say to a kernel's author.
#pragma once

#include <string>

#include "model/alloc/nki/check_tile_lifetimes.h"

namespace spillway::nki {

/// Which tiles, in which iterations, on which bytes, and what would help; a few sentences.
std::string DescribeFinding(const Kernel& kernel, const Target& target, const TileFinding& finding);
std::string DescribeWait(const Kernel& kernel, const TileWaitNote& note);
/// "num_free_tiles=(4,), bytes [0, 4096)", and whether that fits.
std::string DescribeEnough(const Tensor& tensor, const EnoughTiles& enough);

}  // namespace spillway::nki
