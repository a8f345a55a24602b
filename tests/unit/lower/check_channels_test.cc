#include "sim/lower/check_channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/lower/kernels.h"

namespace spillway {
namespace {

Kernel Copy(const char* engine, const char* partitions) {
  return KernelOf(
      std::string(R"({"tensor":"a","space":"sbuf","dtype":"float32","shape":[128,64],"at":[0,0]}
{"tensor":"b","space":"sbuf","dtype":"float32","shape":[128,64],"at":[0,256]}
{"op":"tensor_copy","engine":")") +
      engine + R"(","out":{"dst":{"t":"b","p":)" + partitions +
      R"(,"f":[0,[[1,64]]]}},"in":{"src":{"t":"a","p":)" + partitions + R"(,"f":[0,[[1,64]]]}}})");
}

TEST(CheckChannels, HalfWidthEnginesWorkOnNoMoreThanTheirChannels) {
  const Target inf1 = FindTarget("inf1").value();
  for (const char* engine : {"act", "dve", "pool"}) {
    EXPECT_FALSE(CheckChannels(Copy(engine, "[0,64]"), inf1)) << engine;
    const auto error = CheckChannels(Copy(engine, "[0,128]"), inf1);
    ASSERT_TRUE(error) << engine;
    EXPECT_EQ(error->code, "too-few-channels");
    EXPECT_THAT(error->message, ::testing::HasSubstr("works on 128 partitions"));
    EXPECT_THAT(error->message, ::testing::HasSubstr("64 channels"));
    EXPECT_FALSE(CheckChannels(Copy(engine, "[0,128]"), Trn2())) << engine;
  }
}

}  // namespace
}  // namespace spillway
