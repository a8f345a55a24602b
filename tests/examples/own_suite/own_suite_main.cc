// An allocator of a user's own under Spillway's generators and judges.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "model/alloc/allocator.h"
#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/place_homes.h"
#include "properties/judge.h"
#include "properties/problem_outcome.h"
#include "properties/rapidcheck_kernels.h"

namespace {

using namespace spillway;  // NOLINT: as a user of the library would

/// Rows of full height, one after the other: a tensor takes the lowest bytes that no tensor holds
/// whose accesses overlap its own. `knows_loops`: what a loop's body touches is held for the whole
/// loop; without it this is wrong, and the judges have to find out.
class ShelfAllocator : public Allocator {
 public:
  explicit ShelfAllocator(bool knows_loops) : knows_loops_(knows_loops) {}

  std::string name() const override { return "shelf"; }

  Result<Allocation> Allocate(const Kernel& kernel, const Target& target, const Hwm& /*hwm*/,
                              const AllocateOptions& options) const override {
    const LinearKernel linear = Linearize(kernel);
    Placement placement = FixedPlacement(kernel);
    const Bytes bank = target.psum_bank_bytes;
    const Bytes sbuf = options.sbuf_bytes.value_or(target.sbuf_usable_bytes);
    const Bytes psum = bank * options.psum_banks.value_or(UsablePsumBanks(target)).value;
    for (const auto& placed : {Place(linear, Space::kSbuf, target.sbuf_granule, sbuf, placement),
                               Place(linear, Space::kPsum, bank, psum, placement)}) {
      if (!placed) return Fail(placed.error());
    }
    return AllocateHomes(kernel, placement, target);
  }

 private:
  struct Shelf {
    Interval<PointId> held;
    Interval<ByteOffset> bytes;
  };

  Interval<PointId> HeldOf(const LinearKernel& linear, TensorId tensor) const {
    Interval<PointId> held{linear.accesses_of[tensor].front().point,
                           linear.accesses_of[tensor].back().point};
    for (const PointAccess& access : linear.accesses_of[tensor]) {
      const std::vector<LoopId> nest = NestOf(linear, access.point);
      if (nest.empty() || !knows_loops_) continue;
      const LoopPoints& loop = linear.loop_points[nest.front()];
      held = Hull(held, {loop.header, loop.terminator});
    }
    return {held.begin, PointId(held.end.value + 1)};
  }

  // `step`: places start at multiples of it and are whole ones long.
  Result<void> Place(const LinearKernel& linear, Space space, Bytes step, Bytes capacity,
                     Placement& placement) const {
    std::vector<Shelf> shelves;
    for (std::size_t t = 0; t < linear.kernel.tensors.size(); ++t) {
      const TensorId id(t);
      const Tensor& tensor = linear.kernel.tensors[id];
      if (tensor.space != space || linear.accesses_of[id].empty()) continue;
      const Interval<PointId> held = HeldOf(linear, id);
      const Bytes bytes = RoundUp(BlockBytes(tensor), step);
      for (std::int64_t block = 0; block < BlockCount(tensor); ++block) {
        ByteOffset start(0);
        for (const Shelf& shelf : shelves) {
          if (!Overlap(shelf.held, held)) continue;
          if (start + bytes <= shelf.bytes.begin) break;
          start = std::max(start, shelf.bytes.end);
        }
        if (start + bytes > ByteOffset(0) + capacity) {
          return Fail({Kind::kCapacity, "shelf-full", "no room for " + tensor.name, "", 0});
        }
        placement.addresses[id].push_back({Partition(0), start});
        shelves.push_back({held, {start, start + bytes}});
        std::sort(shelves.begin(), shelves.end(),
                  [](const Shelf& a, const Shelf& b) { return a.bytes.begin < b.bytes.begin; });
      }
    }
    return {};
  }

  bool knows_loops_;
};

// The first objection of any judge to what `allocator` makes of the kernel; empty: none.
std::string FirstObjection(const Allocator& allocator, Kernel kernel) {
  const AllocationProblem problem{std::move(kernel), FindTarget("trn2").value(), Bytes(16384),
                                  BankCount(8)};
  const ProblemOutcome outcome = JudgeProblem(
      problem, [&](const auto&... arguments) { return allocator.Allocate(arguments...); },
      AllJudges());
  return outcome.findings.empty() ? "" : KeyOf(outcome.findings.front());
}

TEST(ShelfAllocator, IsRightForRandomKernels) {
  const ShelfAllocator allocator(true);
  EXPECT_TRUE(rc::check("the judges have no objection", [&](const KernelCase& c) {
    RC_ASSERT(FirstObjection(allocator, c.Decode()) == "");
  }));
}

TEST(ShelfAllocator, WithoutLoopsIsFoundOut) {
  const ShelfAllocator allocator(false);
  constexpr int kMostKernels = 500;
  for (std::uint64_t seed = 0; seed < kMostKernels; ++seed) {
    const std::string objection =
        FirstObjection(allocator, DecodeKernel(ChoiceBytesFromSeed(seed, 30)));
    if (objection.empty()) continue;
    std::cout << "found after " << seed + 1 << " kernels: " << objection << "\n";
    return;
  }
  FAIL() << "no judge objected in " << kMostKernels << " kernels";
}

}  // namespace

// libsystemc asks for it: its own main would call it, and this program has another.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
