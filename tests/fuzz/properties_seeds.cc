#include "properties/allocation_problem.h"
#include "properties/property_table.h"
#include "tests/fuzz/harness.h"

namespace spillway {

std::vector<std::vector<std::uint8_t>> Seeds() {
  constexpr std::uint64_t kRun = 20261201;
  constexpr std::uint64_t kCasesARow = 4;
  std::vector<std::vector<std::uint8_t>> seeds;
  for (std::uint64_t i = 0; i < kCasesARow * AllProperties().size(); ++i) {
    std::vector<std::uint8_t> seed = ProblemBytes(kRun, i);
    seed.insert(seed.begin(), static_cast<std::uint8_t>(i % AllProperties().size()));
    seeds.push_back(std::move(seed));
  }
  return seeds;
}

}  // namespace spillway
