// Whether an allocated kernel still is the program that its author wrote, and what was added to it.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

struct ProgramMatch {
  IdVector<InstructionId, bool> added;   ///< by instruction of the allocated kernel
  std::vector<std::string> differences;  ///< for a person; empty: the same program
};

/// Lays `allocated` over `original`. They are the same program where
/// - every tensor of `original` is there as it was declared, an author's `at` included; internal
///   ones may be gone, and the allocator's own are internal;
/// - loops, and the instructions in them, come in the same order, with the same operations,
///   engines, attributes and predicates;
/// - an operand is as it was, or names one of the allocator's tensors of the same memory instead,
///   with as many partitions, as many elements in each dimension and the same type;
/// - what comes on top is spill code: marked as such, or a dma_copy or tensor_copy from or to a
///   tensor of the allocator's;
/// - what is missing are loads: a dma_copy from DRAM into an internal tensor may be repeated where
///   its value is needed instead.
/// What the copies move, and when, is for other judges to say.
/// Source: kernel format, version 1; colorer.md §3 and §4 (splits, working copies, repeated loads).
ProgramMatch MatchProgram(const Kernel& original, const Kernel& allocated);

}  // namespace spillway
