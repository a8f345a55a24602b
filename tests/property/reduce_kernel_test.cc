// The reducer, on failures that are easy to state.
#include "properties/reduce_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/kernel_choices.h"
#include "properties/kernel_edit.h"
#include "properties/random_kernel.h"
#include "properties/rapidcheck_kernels.h"
#include "sim/values/reference_interpreter.h"
#include "tests/property/run_property.h"
#include "traces/kernel_reader.h"
#include "traces/kernel_writer.h"

namespace spillway {
namespace {

bool HasOp(const Kernel& kernel, std::string_view op) {
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.op == op) return true;
  }
  return false;
}

Kernel LongKernelWith(std::string_view op) {
  for (std::uint64_t seed = 0;; ++seed) {
    Kernel kernel = DecodeKernel(ChoiceBytesFromSeed(seed, 50));
    if (HasOp(kernel, op) && !kernel.loops.empty()) return kernel;
  }
}

TEST(Reducer, KeepsTheFailureAndWhatItReadsAndNothingElse) {
  const Kernel kernel = LongKernelWith("nc_matmul");
  const Reduced reduced =
      ReduceKernel(kernel, [](const Kernel& k) { return HasOp(k, "nc_matmul"); });
  EXPECT_TRUE(reduced.finished);
  EXPECT_TRUE(HasOp(reduced.kernel, "nc_matmul"));
  // The product and the definitions of its factors.
  EXPECT_LE(reduced.kernel.instructions.size(), 3u);
  EXPECT_TRUE(reduced.kernel.loops.empty());
}

TEST(Reducer, LeavesALoopThatTheFailureNeedsWithAsFewTripsAsItNeeds) {
  const Kernel kernel = LongKernelWith("combine");
  const auto runs_in_a_loop = [](const Kernel& k) {
    const Result<InterpreterReport> report = Interpret(k, ValueMode::kNone, {});
    return report && report->instructions > static_cast<std::int64_t>(k.instructions.size());
  };
  ASSERT_TRUE(runs_in_a_loop(kernel));
  const Reduced reduced = ReduceKernel(kernel, runs_in_a_loop);
  EXPECT_EQ(reduced.kernel.instructions.size(), 1u);
  ASSERT_EQ(reduced.kernel.loops.size(), 1u);
  EXPECT_EQ(TripCount(reduced.kernel.loops[LoopId(0)]), 2);
}

TEST(Reducer, GivesBackWhatItHasWhenTheTimeIsOver) {
  const Kernel kernel = LongKernelWith("nc_matmul");
  const auto has_matmul = [](const Kernel& k) { return HasOp(k, "nc_matmul"); };
  const Reduced reduced = ReduceKernel(kernel, has_matmul, {.seconds = 10, .most_tries = 3});
  EXPECT_FALSE(reduced.finished);
  EXPECT_LE(reduced.tries, 3);
}

TEST(Reducer, TakesAThrowingCandidateForOneThatDoesNotFail) {
  const Kernel kernel = LongKernelWith("nc_matmul");
  const Reduced reduced = ReduceKernel(kernel, [&](const Kernel& k) {
    if (k.instructions.size() < kernel.instructions.size()) throw std::runtime_error("no");
    return true;
  });
  EXPECT_EQ(reduced.kernel.instructions.size(), kernel.instructions.size());
}

TEST(Edits, OfRandomKernelsAreKernelsThatTheReaderTakes) {
  Shares shares;
  CheckProperty("edits", 300, [&](const KernelCase& c) {
    const Kernel kernel = c.Decode();
    const auto acceptable = [](const Kernel& edited) {
      if (edited.instructions.empty()) return true;
      const Result<Kernel> read = ParseKernel(PrintKernelFile(edited), "edited");
      // Some output may be left without a write, and what a loop unrolled once doesn't write.
      return read ? *read == edited
                  : read.error().kind == Kind::kUninitializedRead ||
                        read.error().kind == Kind::kShape;
    };
    for (std::size_t l = 0; l < kernel.loops.size(); ++l) {
      RC_ASSERT(acceptable(WithoutLoop(kernel, LoopId(l))));
      RC_ASSERT(acceptable(WithTrips(kernel, LoopId(l), 1)));
    }
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
      IdVector<InstructionId, bool> dropped(kernel.instructions.size(), false);
      dropped[InstructionId(i)] = true;
      RC_ASSERT(acceptable(WithoutInstructions(kernel, dropped)));
    }
    shares.Case();
    shares.Count("loops", !kernel.loops.empty());
  });
  shares.AtLeast("loops", 50);
}

}  // namespace
}  // namespace spillway
