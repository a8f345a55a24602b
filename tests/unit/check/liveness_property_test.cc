// The liveness against the definition, byte by byte, on an execution of small random kernels.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "model/alloc/check/liveness.h"
#include "model/alloc/ir/footprint.h"
#include "model/alloc/ir/live_intervals.h"
#include "tests/unit/check/test_kernel.h"

namespace spillway::check {
namespace {

constexpr std::int64_t kBytes = 12;
constexpr std::int64_t kGroups = 2;
constexpr std::int64_t kBlocks = 2 * kGroups;

struct Choice {
  int kind = 0;  // 0 and 1 write, 2 read, 3 other, 4 open a loop, 5 close one, 6 write all
  int trips = 1;
  int offset = 0;
  int count = 1;
  int coefficient = 0;
  int block = 0;
  int predicate = 0;
};

rc::Gen<std::vector<Choice>> Choices() {
  return rc::gen::resize(
      60, rc::gen::container<std::vector<Choice>>(rc::gen::build<Choice>(
              rc::gen::set(&Choice::kind, rc::gen::inRange(0, 7)),
              rc::gen::set(&Choice::trips,
                           rc::gen::weightedElement<int>({{1, 0}, {3, 1}, {4, 2}, {4, 3}})),
              rc::gen::set(&Choice::offset, rc::gen::inRange(0, 4)),
              rc::gen::set(&Choice::count, rc::gen::inRange(1, 5)),
              rc::gen::set(&Choice::coefficient, rc::gen::inRange(0, 3)),
              rc::gen::set(&Choice::block, rc::gen::inRange(0, 6)),
              rc::gen::set(&Choice::predicate, rc::gen::inRange(0, 8)))));
}

// One tensor `t`, with or without blocks; every choice is legal somewhere.
TestKernel KernelOf(const std::vector<Choice>& choices, bool has_blocks) {
  TestKernel k;
  const TensorId t =
      k.Sbuf("t", 2, kBytes,
             has_blocks ? std::vector<std::int64_t>{kGroups, 2} : std::vector<std::int64_t>{});
  const TensorId other = k.Sbuf("other", 2, 1);
  std::vector<LoopId> open;
  const auto body = [&](const Choice& c) {
    Part part;
    part.count = c.count;
    part.offset = open.empty() ? AffineExpr(c.offset)
                               : Times(open[static_cast<std::size_t>(c.block) % open.size()],
                                       c.coefficient, c.offset);
    if (c.count == 4) part.partitions = 1;
    if (c.kind == 6) part = Part{};
    if (has_blocks) {
      part.block = {c.block % 2, c.block / 2 % 2};
      if (c.block > 1 && !open.empty()) part.block[1] = Modulo(Times(open.back(), 1, c.block), 2);
      if (c.block > 4 && !open.empty()) part.block[0] = Modulo(Times(open.front(), 1), 2);
    }
    Instruction& op = c.kind == 3   ? k.Write(other)
                      : c.kind == 2 ? k.Read(t, part)
                                    : k.Write(t, part);
    if (c.count == 3 && c.kind < 3) {
      (c.kind == 2 ? op.inputs : op.outputs).front().operands.front().free_dims = {{2, 2}};
    }
    if (c.predicate == 1 && !open.empty()) op.when = {AtLeastZero(Times(open.back(), 1, -1))};
    if (c.predicate == 2 && !open.empty()) op.when = {AtLeastZero(Times(open.front(), -1, 0))};
    if (c.predicate >= 3 && c.predicate <= 5 && !open.empty()) {
      // The first iteration of a nest, or all others, as sums distinguish them.
      AffineExpr step = Times(open.back(), 1);
      if (c.predicate > 3 && open.size() > 1) step.terms.push_back({open.front(), 3});
      step = Normalized(std::move(step));
      op.when = {{step, c.predicate == 5 ? Comparison::kGreater : Comparison::kEqual}};
    }
  };
  for (const Choice& c : choices) {
    if (c.kind == 4 && open.size() < 3) {
      open.push_back(k.Open(c.trips));
    } else if (c.kind == 5 && !open.empty()) {
      k.Close();
      open.pop_back();
    } else if (c.kind != 4 && c.kind != 5) {
      body(c);
    }
  }
  for (; !open.empty(); open.pop_back()) k.Close();
  return k;
}

// Executes the points with loop values.
struct Step {
  PointId point;
  std::vector<std::int64_t> values;
};
std::vector<Step> Execute(const LinearKernel& linear) {
  std::vector<Step> steps;
  std::vector<std::int64_t> values(linear.kernel.loops.size(), 0);
  std::vector<std::int64_t> done(linear.kernel.loops.size(), 0);
  for (std::size_t p = 0; p < linear.point_count();) {
    const PointId point(p);
    const BodyItem& item = linear.kernel.body[p];
    if (item.kind == BodyKind::kLoopBegin) {
      if (TripCount(linear.kernel.loops[item.loop()]) == 0) {
        p = linear.loop_points[item.loop()].terminator.value + 1;
        continue;
      }
      values[item.index] = linear.kernel.loops[item.loop()].begin + done[item.index];
    }
    steps.push_back({point, values});
    if (item.kind == BodyKind::kLoopEnd) {
      if (++done[item.index] < TripCount(linear.kernel.loops[item.loop()])) {
        p = linear.loop_points[item.loop()].header.value;
        continue;
      }
      done[item.index] = 0;
    }
    ++p;
  }
  return steps;
}

using Byte = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // block, partition, byte
std::set<Byte> BytesOf(const LinearKernel& linear, const Step& step, bool writes) {
  std::set<Byte> bytes;
  if (!linear.IsInstruction(step.point) || !Holds(linear.instruction(step.point).when, step.values))
    return bytes;
  for (const Access& access : linear.accesses[step.point]) {
    if (access.tensor != TensorId(0) || access.is_write != writes) continue;
    const Footprint f = FootprintOf(linear.kernel, access, step.values);
    for (auto p = f.partitions.begin.value; p < f.partitions.end.value; ++p) {
      for (const Interval<ByteOffset>& run : f.runs) {
        for (auto b = run.begin.value; b < run.end.value; ++b) bytes.insert({f.block, p, b});
      }
    }
  }
  return bytes;
}

bool HoldsPoint(const BlockLife& life, PointId point) {
  return std::any_of(life.stretches.begin(), life.stretches.end(),
                     [&](const Interval<PointId>& stretch) { return stretch.Contains(point); });
}

bool IsAliveAt(const std::vector<BlockLife>& lives, std::int64_t block, PointId point) {
  return std::any_of(lives.begin(), lives.end(), [&](const BlockLife& life) {
    return std::count(life.blocks.begin(), life.blocks.end(), block) > 0 && HoldsPoint(life, point);
  });
}

// Every point at which some byte of a block holds a value that is read later, by execution.
std::set<std::pair<std::int64_t, PointId>> NeededPoints(const LinearKernel& linear,
                                                        const std::vector<Step>& steps) {
  std::set<std::pair<std::int64_t, PointId>> needed;
  std::map<Byte, std::size_t> written_at;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const Byte& byte : BytesOf(linear, steps[s], false)) {
      needed.insert({std::get<0>(byte), steps[s].point});
      const auto from = written_at.find(byte);
      if (from == written_at.end()) continue;
      for (std::size_t between = from->second; between <= s; ++between) {
        needed.insert({std::get<0>(byte), steps[between].point});
      }
    }
    for (const Byte& byte : BytesOf(linear, steps[s], true)) {
      needed.insert({std::get<0>(byte), steps[s].point});
      written_at[byte] = s;
    }
  }
  return needed;
}

// How many of the random cases did what the property is about.
struct Coverage {
  int cases = 0;
  int with_loops = 0;
  int with_gaps = 0;
};

void CheckSafe(bool has_blocks, Coverage& coverage) {
  const TestKernel kernel = KernelOf(*Choices(), has_blocks);
  const LinearKernel linear = kernel.Linear();
  const std::vector<BlockLife> lives = LivesOf(linear, TensorId(0));
  ++coverage.cases;
  coverage.with_loops += linear.kernel.loops.size() > 0 ? 1 : 0;
  const bool has_gap = std::any_of(lives.begin(), lives.end(),
                                   [](const BlockLife& life) { return life.stretches.size() > 1; });
  coverage.with_gaps += has_gap ? 1 : 0;
  for (const auto& [block, point] : NeededPoints(linear, Execute(linear))) {
    RC_ASSERT(IsAliveAt(lives, block, point));
  }
}

void ExpectSafe(bool has_blocks) {
  Coverage coverage;
  EXPECT_TRUE(
      rc::check("a byte that is needed is alive", [&] { CheckSafe(has_blocks, coverage); }));
  EXPECT_GT(coverage.with_loops * 2, coverage.cases) << "too few cases loop to prove anything";
  EXPECT_GT(coverage.with_gaps * 20, coverage.cases);
}

TEST(LivenessProperty, HoldsEveryPointAtWhichAByteIsNeeded) { ExpectSafe(false); }
TEST(LivenessProperty, HoldsEveryPointAtWhichAByteOfABlockIsNeeded) { ExpectSafe(true); }

// What a pass takes for the life of a tensor holds all that the checker asks for: otherwise the
// checker would refuse placements that are right.
RC_GTEST_PROP(LivenessProperty, StaysWithinTheIntervalThatThePassesUse, ()) {
  const TestKernel kernel = KernelOf(*Choices(), *rc::gen::arbitrary<bool>());
  const LinearKernel linear = kernel.Linear();
  const auto intervals = LiveIntervals(linear);
  for (const BlockLife& life : LivesOf(linear, TensorId(0))) {
    for (const Interval<PointId>& stretch : life.stretches) {
      RC_ASSERT(intervals[TensorId(0)].has_value());
      RC_ASSERT(intervals[TensorId(0)]->Covers(stretch));
    }
  }
}

// Without loops and predicates there's nothing to be careful about: the lives are exact.
RC_GTEST_PROP(LivenessProperty, IsExactWithoutLoops, ()) {
  std::vector<Choice> choices = *Choices();
  for (Choice& c : choices) c.kind = c.kind == 4 || c.kind == 5 ? 3 : c.kind;
  const TestKernel kernel = KernelOf(choices, true);
  const LinearKernel linear = kernel.Linear();
  const std::vector<BlockLife> lives = LivesOf(linear, TensorId(0));
  const auto needed = NeededPoints(linear, Execute(linear));
  for (std::size_t p = 0; p < linear.point_count(); ++p) {
    for (std::int64_t block = 0; block < kBlocks; ++block) {
      RC_ASSERT(IsAliveAt(lives, block, PointId(p)) == needed.contains({block, PointId(p)}));
    }
  }
}

}  // namespace
}  // namespace spillway::check
