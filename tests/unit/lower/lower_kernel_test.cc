#include "sim/lower/lower_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alloc/ir/kernel_builder.h"
#include "sim/lower/streams.h"
#include "tests/unit/lower/kernels.h"

namespace spillway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TensorOptions AtByte(std::int64_t byte) { return {.at = {{Partition(0), ByteOffset(byte)}}}; }

// Two tiles in, their product, one tile out.
struct Product {
  KernelBuilder b{"product", "trn2"};
  TensorId x = b.Dram("x", DType::kBfloat16, {256, 512}, Role::kInput);
  TensorId y = b.Dram("y", DType::kFloat32, {128, 512}, Role::kOutput);
  TensorId stationary = b.Sbuf("stationary", DType::kBfloat16, {128, 128}, AtByte(0));
  TensorId moving = b.Sbuf("moving", DType::kBfloat16, {128, 512}, AtByte(1024));
  TensorId bank = b.Psum("bank", DType::kFloat32, {128, 512}, AtByte(0));
  TensorId out = b.Sbuf("out", DType::kFloat32, {128, 512}, AtByte(4096));

  Product() {
    b.Copy(b.Whole(stationary), b.Whole(x).Tile(0, 128, 0, 128));
    b.Copy(b.Whole(moving), b.Whole(x).Tile(128, 128, 0, 512));
    b.Instruction("nc_matmul")
        .Out("dst", b.Whole(bank))
        .In("stationary", b.Whole(stationary))
        .In("moving", b.Whole(moving))
        .Attr("accumulate", false);
    b.Instruction("tensor_copy").Out("dst", b.Whole(out)).In("src", b.Whole(bank));
    b.Copy(b.Whole(y).Tile(0, 128, 0, 512), b.Whole(out));
  }
};

LoweredKernel Lowered(const Kernel& kernel, const LowerOptions& options = {}) {
  return LowerKernel(kernel, FixedPlacement(kernel), Trn2(), options).value();
}

std::vector<std::string> WaitNames(const LoweredKernel& lowered, std::uint32_t instance) {
  std::vector<std::string> names;
  for (const SemaphoreWait& wait : lowered.program.WaitsOf(InstanceId(instance))) {
    names.push_back(lowered.program.SemaphoreName(wait.semaphore) + " " +
                    std::to_string(wait.at_least));
  }
  return names;
}

TEST(LowerKernel, DependencesBecomeSemaphoreWaits) {
  const LoweredKernel lowered = Lowered(Product().b.Build());
  EXPECT_THAT(WaitNames(lowered, 0), IsEmpty());
  EXPECT_THAT(WaitNames(lowered, 2), ElementsAre("transfer 1 16", "transfer 0 16"));
  EXPECT_THAT(WaitNames(lowered, 3), ElementsAre("pe completions 1"));
  EXPECT_THAT(WaitNames(lowered, 4), ElementsAre("dve completions 1"));
  EXPECT_EQ(lowered.counts,
            (LowerCounts{
                .logical = 4, .anti = 0, .by_stream_order = 0, .by_other_waits = 0, .waits = 4}));
}

TEST(LowerKernel, AWaitCanBeDropped) {
  EXPECT_THAT(WaitNames(Lowered(Product().b.Build(), {.dropped_waits = {1}}), 2),
              ElementsAre("transfer 1 16"));
}

TEST(LowerKernel, DurationsAreTheEnginesOwn) {
  const LoweredKernel lowered = Lowered(Product().b.Build());
  // 512 columns at 98% of 2.4 GHz; 512 elements, 60 + 100 cycles around them, at 0.96 GHz.
  const ComputeTime& product = lowered.program.instance(InstanceId(2)).time;
  EXPECT_EQ(product.interval, Picoseconds(217'917));
  EXPECT_EQ(product.latency, product.interval);
  const ComputeTime& copy = lowered.program.instance(InstanceId(3)).time;
  EXPECT_EQ(copy.interval, Picoseconds(533'333));
  EXPECT_EQ(copy.latency, Picoseconds(700'000));
  const Transfer& load = lowered.program.TransferOf(InstanceId(1));
  EXPECT_EQ(load.descriptors, 128);
  EXPECT_EQ(load.descriptor_bytes, Bytes(1024));
  EXPECT_EQ(load.descriptor_latency, Picoseconds(105'000)) << "the queue's floor";
  EXPECT_EQ(load.descriptor_time, Picoseconds(75'000)) << "the engine's floor";
  const Transfer& store = lowered.program.TransferOf(InstanceId(4));
  EXPECT_EQ(store.descriptor_bytes, Bytes(2048));
  EXPECT_EQ(store.descriptor_latency, Picoseconds(105'000)) << "2 KiB is where the floor ends";
  EXPECT_EQ(store.descriptor_time, Picoseconds(95'044)) << "6 ns and 2 KiB at 23 bytes a ns";
}

TEST(LowerKernel, AnUnknownOperationIsPricedByTheGenericRuleAndListed) {
  Product product;
  product.b.Instruction("frobnicate")
      .Out("dst", product.b.Whole(product.out))
      .In("src", product.b.Whole(product.out));
  const LoweredKernel lowered = Lowered(product.b.Build());
  EXPECT_THAT(lowered.unpriced_ops, ElementsAre("frobnicate"));
  EXPECT_GT(lowered.program.instance(InstanceId(5)).time.interval, Picoseconds(0));
}

TEST(LowerKernel, MoreTimeThanIsCountedIsAnError) {
  const Kernel kernel = Product().b.Build();
  Target target = Trn2();
  target.dma_start_latency.value = Picoseconds(std::int64_t{1} << 59);
  const auto lowered = LowerKernel(kernel, FixedPlacement(kernel), target);
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code, "run-too-long");
}

TEST(LowerKernel, ATargetWithMoreDmaThanTheMachineIsAnError) {
  const Kernel kernel = Product().b.Build();
  Target target = Trn2();
  target.dma_queues.value = 17;
  EXPECT_EQ(LowerKernel(kernel, FixedPlacement(kernel), target).error().code, "dma-geometry");
  target = Trn2();
  target.dma_completion_increments.value = 8;
  EXPECT_EQ(LowerKernel(kernel, FixedPlacement(kernel), target).error().code, "dma-geometry");
}

std::vector<int> QueuesOf(const Kernel& kernel, std::int64_t queues) {
  Target target = Trn2();
  target.dma_queues.value = queues;
  std::vector<int> found;
  for (const StreamId stream : AssignStreams(kernel, Unroll(kernel).value(), target)) {
    if (stream.is_queue()) found.push_back(stream.queue());
  }
  return found;
}

TEST(AssignStreams, EachKindOfDmaHasQueuesOfItsOwn) {
  KernelBuilder b("kinds", "trn2");
  const TensorId x = b.Dram("x", DType::kFloat32, {128, 8}, Role::kInput);
  const TensorId y = b.Dram("y", DType::kFloat32, {128, 8}, Role::kOutput);
  const TensorId t = b.Sbuf("t", DType::kFloat32, {128, 8}, AtByte(0));
  for (int i = 0; i < 3; ++i) {
    b.Copy(b.Whole(t), b.Whole(x).Tile(0, 128, 0, 8));
    b.Copy(b.Whole(y).Tile(0, 128, 0, 8), b.Whole(t));
  }
  EXPECT_THAT(QueuesOf(b.Build(), 16), ElementsAre(0, 1, 2, 3, 4, 5)) << "loads even, stores odd";
  EXPECT_THAT(QueuesOf(b.Build(), 3), ElementsAre(0, 1, 2, 1, 0, 1));
  b.Copy(b.Whole(y).Tile(0, 128, 0, 8), b.Whole(t)).Spill(SpillRole::kSave);
  b.Copy(b.Whole(t), b.Whole(y).Tile(0, 128, 0, 8)).Spill(SpillRole::kReload);
  EXPECT_THAT(QueuesOf(b.Build(), 4), ElementsAre(0, 1, 0, 1, 0, 1, 3, 2));
  EXPECT_THAT(QueuesOf(b.Build(), 1), SizeIs(8));
}

}  // namespace
}  // namespace spillway
