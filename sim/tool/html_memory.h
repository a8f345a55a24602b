// Pictures of the memories over the points of the linear form.
#pragma once

#include <span>
#include <string>

#include "sim/tool/placed_blocks.h"

namespace spillway::html {

/// Map of SBUF: points across, bytes up, a panel for quadrants that hold the same blocks. A block
/// of at least a pixel each way is a rectangle of its own with a tooltip (the largest first, up to
/// a limit of text); the rest are merged into shaded cells, and a caption says how many.
std::string SbufMap(const KernelRun& run, std::span<const PlacedBlock> blocks);

/// Bytes live per point against the capacity: the fullest quadrant, and quadrants that differ.
std::string SbufPressure(const KernelRun& run, std::span<const PlacedBlock> blocks);

/// How much of each PSUM bank is live, a row a bank.
std::string PsumBanks(const KernelRun& run, std::span<const PlacedBlock> blocks);

}  // namespace spillway::html
