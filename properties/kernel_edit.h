// Edits that make a kernel smaller: pure functions from a kernel to a kernel.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// `kernel` without the marked instructions and, again and again, without instructions that read an
/// internal tensor which nothing writes any more; then without loops that hold nothing and tensors
/// that nothing accesses. Names stay.
Kernel WithoutInstructions(const Kernel& kernel, const IdVector<InstructionId, bool>& dropped);

/// The body of `loop` once, with the variable's first value in place of the variable.
Kernel WithoutLoop(const Kernel& kernel, LoopId loop);

/// `loop` with `trips` iterations, the first ones.
Kernel WithTrips(Kernel kernel, LoopId loop, std::int64_t trips);

/// Without predicate number `predicate` of that instruction.
Kernel WithoutPredicate(Kernel kernel, InstructionId instruction, std::size_t predicate);

/// Without input group number `input` of that instruction.
Kernel WithoutInput(const Kernel& kernel, InstructionId instruction, std::size_t input);

}  // namespace spillway
