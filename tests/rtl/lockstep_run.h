// What the tests of all RTL modules share: runs, findings and random choices.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/hw/rtl/lockstep.h"

namespace spillway {

/// What a stimulus found wrong with the values it saw. The lockstep says that RTL and twin agree;
/// this says that they are right.
struct Findings {
  std::vector<std::string> wrong;
  std::uint64_t checked = 0;

  void Check(bool right, const std::string& what) {
    ++checked;
    if (!right) wrong.push_back(what);
  }
};

/// A folder for the traces of the test that runs: CTest runs several at a time.
inline std::filesystem::path TraceFolder() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::path(SPILLWAY_RTL_TRACES) / test.test_suite_name() / test.name();
}

/// Runs `StimulusType(findings, arguments...)` on the faithful pair and expects no divergence and
/// no finding.
template <class StimulusType, class... Arguments>
LockstepResult ExpectLockstep(RtlModule module, std::uint64_t cycles,
                              const std::shared_ptr<Findings>& findings,
                              const Arguments&... arguments) {
  const StimulusFactory factory = [&] {
    *findings = Findings{};
    return std::make_unique<StimulusType>(findings, arguments...);
  };
  LockstepResult result = RunLockstep(module, TwinShape::kSame, factory, cycles, TraceFolder());
  EXPECT_FALSE(result.divergence) << result.divergence->ToString(module);
  EXPECT_THAT(findings->wrong, ::testing::IsEmpty());
  return result;
}

/// Random choices that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t Bits64() { return bits_(); }
  std::uint32_t Bits32() { return static_cast<std::uint32_t>(bits_()); }
  /// 0 to n - 1.
  std::uint32_t Below(std::uint64_t n) { return static_cast<std::uint32_t>(bits_() % n); }
  bool Percent(std::uint64_t percent) { return Below(100) < percent; }

 private:
  std::mt19937_64 bits_;
};

}  // namespace spillway
