// An allocator in any language: a command that reads a kernel file and writes a placed one.
#pragma once

#include <memory>
#include <string>

#include "model/alloc/allocator.h"
#include "model/alloc/baseline/child_process.h"

namespace spillway {

/// "external:COMMAND": each kernel is written to a file, `COMMAND KERNEL_IN PLACED_OUT` runs within
/// `limits`, and what it wrote is read back. Names and contract: docs/external_allocators.md.
/// Internal DRAM tensors may be left to us to place; copies that the command added and didn't mark
/// as spill code are marked. Nothing of the answer is trusted: whether it is the same program, and
/// allocated well, is for the judges.
/// Errors: kCapacity "external-refused" (exit status 4: it can't be allocated), kAllocator
/// "external-…" for every other way to fail: not started, a signal, the time, another exit status,
/// no answer, an answer that is no kernel file. Each says what was expected and found, and ends
/// with what the command wrote last.
std::unique_ptr<Allocator> MakeExternalAllocator(std::string command, const ChildLimits& limits);

}  // namespace spillway
