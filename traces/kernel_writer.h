// Kernel files, version 1: from a kernel to canonical lines.
#pragma once

#include <ostream>
#include <string>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"

namespace spillway {

/// Writes the kernel to `out`: header, all tensors, then loops and instructions in program order;
/// one object a line, keys in the order of the format's tables, nothing that has its default.
/// Reading it back gives an equal kernel. An instruction whose spill role isn't among its
/// attributes gets the attribute. Floating point as its shortest exact form; NaN and infinities as
/// Python's json module spells them.
/// Source: kernel format, version 1 (traces/schema.md).
void PrintKernelFile(const Kernel& kernel, std::ostream& out);
std::string PrintKernelFile(const Kernel& kernel);

/// Writes the file, zstd-compressed where `path` ends in ".zst".
/// Errors: file-not-written (kFile).
Result<void> WriteKernelFile(const Kernel& kernel, const std::string& path);

}  // namespace spillway
