#include "properties/allocation_problem.h"
#include "tests/fuzz/harness.h"

namespace spillway {

std::vector<std::vector<std::uint8_t>> Seeds() {
  constexpr std::uint64_t kRun = 20261130;
  std::vector<std::vector<std::uint8_t>> seeds;
  for (std::uint64_t i = 0; i < 120; ++i) seeds.push_back(ProblemBytes(kRun, i));
  return seeds;
}

}  // namespace spillway
