// How much of a kernel is looked at.
#include "model/alloc/rings/stream_work.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/unit/rings/ring_kernels.h"

namespace spillway::rings {
namespace {

using ::testing::HasSubstr;

Error RefusalOf(const Kernel& kernel) {
  const Result<StreamWork> work = CollectWork(kernel);
  if (work) throw std::runtime_error("expected a refusal");
  return work.error();
}

TEST(StreamWork, SkippedInstructionsAreWorkToo) {
  const auto skips = [](std::int64_t trips) {
    KernelBuilder builder("skips", "trn2");
    const TensorId t = Fixed(builder, "t", 64, 0);
    builder.OpenLoop("i", 0, trips);
    for (int n = 0; n < 4; ++n) {
      builder.Instruction("memset")
          .On(Engine::kDve)
          .Out("dst", builder.Whole(t))
          .When(LessThan(builder.Index("i"), 0));
    }
    builder.CloseLoop();
    return builder.Build();
  };
  EXPECT_EQ(RefusalOf(skips(200'000)).code, "ring-limit");
  EXPECT_TRUE(CollectWork(skips(100'000)).value().instances.empty());
}

TEST(StreamWork, LoopsWithoutTurnsAreWorkToo) {
  const auto nested = [](std::int64_t trips) {
    KernelBuilder builder("nested", "trn2");
    builder.OpenLoop("i", 0, trips);
    for (int n = 0; n < 4; ++n) {
      builder.OpenLoop(fmt::format("n{}", n), 0, 0);
      builder.CloseLoop();
    }
    builder.CloseLoop();
    return builder.Build();
  };
  EXPECT_EQ(RefusalOf(nested(250'000)).code, "ring-limit");
  EXPECT_EQ(CollectWork(nested(100'000)).value().marks.size(), 100'001u);
}

/// An access of `runs` pieces in each trip; the pieces move where `moves`.
Kernel Pieces(std::int64_t trips, std::int64_t runs, bool moves) {
  KernelBuilder builder("pieces", "trn2");
  const TensorId t = Fixed(builder, "t", 16'384, 0);
  builder.OpenLoop("i", 0, trips);
  const AffineExpr i = builder.Index("i");
  builder.Instruction("memset")
      .On(Engine::kDve)
      .Out("dst", builder.Whole(t).Pattern(moves ? i : i * 0, {FreeDim{2, runs}}));
  builder.CloseLoop();
  return builder.Build();
}

TEST(StreamWork, ByteRunsOfDistinctShapesAreCounted) {
  const Error error = RefusalOf(Pieces(5'000, 1'000, true));
  EXPECT_EQ(error.code, "ring-limit");
  EXPECT_THAT(error.message, HasSubstr("4000000 of them in distinct shapes"));
  // As many accesses of one shape take no memory.
  EXPECT_EQ(CollectWork(Pieces(5'000, 1'000, false)).value().shapes.size(), 1u);
  EXPECT_EQ(CollectWork(Pieces(3'000, 1'000, true)).value().shapes.size(), 3'000u);
}

TEST(StreamWork, AnAccessToAllBlocksOfAHugeTensorIsRefusedBeforeItIsListed) {
  KernelBuilder builder("blocks", "trn2");
  TensorOptions options;
  options.blocks = {std::int64_t{1} << 30};
  const TensorId t = builder.Sbuf("t", DType::kBfloat16, {128, 64}, options);
  builder.Instruction("memset")
      .On(Engine::kDve)
      .Out("dst", builder.Whole(t).Block({{}}).Through("at"));
  EXPECT_EQ(RefusalOf(builder.Build()).code, "ring-limit");
}

}  // namespace
}  // namespace spillway::rings
