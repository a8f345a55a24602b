// Any bytes as a kernel file: refused with a place, or read as a kernel that prints and reads back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/alloc/ir/linear_kernel.h"
#include "tests/fuzz/harness.h"
#include "traces/kernel_reader.h"
#include "traces/round_trip.h"

namespace spillway {
namespace {

// Few iterations, so that a case takes milliseconds; what a file of this size can ask for besides
// has no excuse to take longer.
constexpr ReadLimits kLimits{.max_lines = 10'000,
                             .max_line_bytes = 1 << 16,
                             .max_file_bytes = 1 << 24,
                             .max_iterations_per_index = 1'000,
                             .max_iterations_per_file = 10'000};

}  // namespace

std::string FuzzOne(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<Kernel> kernel = ParseKernel(text, "fuzzed", kLimits);
  if (!kernel) {
    const Error& error = kernel.error();
    if (error.file != "fuzzed" || error.code.empty() || error.message.empty())
      return "an error without file, code or message: " + error.ToString();
    return "";
  }
  (void)CheckDefinitions(Linearize(*kernel));
  return fmt::format("{}", fmt::join(RoundTripFaults(*kernel), "\n"));
}

}  // namespace spillway
