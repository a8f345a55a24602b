// Kernel files, version 1: from bytes to a kernel, or to the reason why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"

namespace spillway {

/// Bounds of what a reader takes. The defaults are the format's.
struct ReadLimits {
  std::int64_t max_lines = 100'000'000;
  std::size_t max_line_bytes = std::size_t{1} << 20;
  std::int64_t max_file_bytes = std::int64_t{16} << 30;  ///< of all lines, decompressed
  /// Loop iterations that a bounds check enumerates for one index under predicates or a modulus,
  /// and for all indices of a file; beyond them it is conservative.
  std::int64_t max_iterations_per_index = 1'000'000;
  std::int64_t max_iterations_per_file = 50'000'000;
};

/// The kernel in that file, plain or zstd-compressed (told by its first bytes).
/// Line by line: memory is the kernel's, plus one line. The kernel is well formed: loops nest,
/// indices are normalized and within 2^48, every operand stays inside its tensor in every iteration
/// in which its predicates hold, engines reach their operands, every output is written.
/// Errors: one of AllFaults(), with file and line; the message names key, expected and found.
/// Source: kernel format, version 1 (traces/schema.md).
Result<Kernel> ReadKernelFile(const std::string& path, const ReadLimits& limits = {});

/// The same from a stream or from memory; `file_name` is for messages.
Result<Kernel> ParseKernel(std::istream& in, const std::string& file_name,
                           const ReadLimits& limits = {});
Result<Kernel> ParseKernel(std::string_view text, const std::string& file_name,
                           const ReadLimits& limits = {});

}  // namespace spillway
