#include "properties/allocation_problem.h"
#include "tests/fuzz/harness.h"
#include "traces/kernel_writer.h"

namespace spillway {

std::vector<std::vector<std::uint8_t>> Seeds() {
  constexpr std::uint64_t kRun = 20261130;
  std::vector<std::vector<std::uint8_t>> seeds;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const std::string text = PrintKernelFile(DecodeProblem(ProblemBytes(kRun, i)).kernel);
    seeds.emplace_back(text.begin(), text.end());
  }
  return seeds;
}

}  // namespace spillway
