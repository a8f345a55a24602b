#include "model/hw/rtl/lockstep.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/rtl/psum_bank_stimulus.h"

namespace spillway {
namespace {

using ::testing::HasSubstr;

TEST(Lockstep, ATwinWithASlowerAdderIsCaughtPrintedAndTraced) {
  const std::filesystem::path folder = std::filesystem::path(SPILLWAY_RTL_TRACES) / "planted";
  std::filesystem::remove_all(folder);
  const StimulusFactory traffic = [] {
    return std::make_unique<RandomPsumTraffic>(std::make_shared<Findings>(),
                                               PsumMix{.seed = 1, .addresses = 2});
  };
  ::testing::internal::CaptureStderr();
  const LockstepResult result =
      RunLockstep(RtlModule::kPsumBank, TwinShape::kOther, traffic, 5000, folder);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(result.divergence);
  EXPECT_GT(result.divergence->cycle, kPsumWords) << "nothing is ready before the poison is in";
  EXPECT_NE(result.divergence->rtl, result.divergence->twin);
  EXPECT_FALSE(result.divergence->recent.empty());
  EXPECT_EQ(printed, result.divergence->ToString(RtlModule::kPsumBank));
  EXPECT_THAT(printed, HasSubstr("psum_bank: first divergence after the edge of cycle " +
                                 std::to_string(result.divergence->cycle)));
  EXPECT_THAT(printed, HasSubstr("pin " + result.divergence->pin + ": RTL "));
  EXPECT_GT(std::filesystem::file_size(result.divergence->trace), 500U);
}

}  // namespace
}  // namespace spillway
