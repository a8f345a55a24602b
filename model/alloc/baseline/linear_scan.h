// First fit by start point: the plainest allocator that is right, to measure others against.
#pragma once

#include <memory>

#include "model/alloc/allocator.h"

namespace spillway {

/// "linear-scan": every SBUF and PSUM tensor, in the order in which lives begin, takes the lowest
/// bytes (SBUF, on the granule, at a start partition that its height allows) or the lowest banks
/// (PSUM, whole ones) that no tensor holds whose life overlaps its own. A life is one interval from
/// the first definition to the last use, loops included (ir/live_intervals.h), and holds for all
/// blocks of a tensor. Tensors with `at` are reservations. It spills nothing.
/// Errors: kCapacity where something doesn't fit; names it, its bytes and the capacity.
/// Source: derived: linear scan of interval graphs, without its spilling.
std::unique_ptr<Allocator> MakeLinearScanAllocator();

}  // namespace spillway
