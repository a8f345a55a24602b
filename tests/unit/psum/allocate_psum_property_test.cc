// Random kernels with loops, predicates and accumulations, at few banks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/alloc/check/placement_checker.h"
#include "model/alloc/psum/allocate_psum.h"
#include "tests/unit/check/test_kernel.h"
#include "tests/unit/psum/tag_machine.h"

namespace spillway {
namespace {

constexpr std::int64_t kBytes = 12;
constexpr int kTensors = 5;

struct Choice {
  int kind = 0;  // 0 read, 1 write, 2 accumulate, 3 update in place, 4 open a loop, 5 close one, 6
                 // write all
  int tensor = 0;
  int trips = 1;
  int offset = 0;
  int count = 1;
  int coefficient = 0;
  int loop = 0;
  int predicate = 0;
};

rc::Gen<std::vector<Choice>> Choices() {
  return rc::gen::resize(
      80, rc::gen::container<std::vector<Choice>>(rc::gen::build<Choice>(
              rc::gen::set(&Choice::kind,
                           rc::gen::weightedElement<int>(
                               {{4, 0}, {2, 1}, {1, 2}, {1, 3}, {2, 4}, {2, 5}, {2, 6}})),
              rc::gen::set(&Choice::tensor, rc::gen::inRange(0, kTensors)),
              rc::gen::set(&Choice::trips, rc::gen::inRange(1, 4)),
              rc::gen::set(&Choice::offset, rc::gen::inRange(0, 4)),
              rc::gen::set(&Choice::count, rc::gen::inRange(1, 5)),
              rc::gen::set(&Choice::coefficient,
                           rc::gen::weightedElement<int>({{4, 0}, {1, 1}, {1, 2}})),
              rc::gen::set(&Choice::loop, rc::gen::inRange(0, 3)),
              rc::gen::set(&Choice::predicate, rc::gen::inRange(0, 8)))));
}

// Every tensor is written in full before anything else touches it, so that no tag is undefined.
TestKernel KernelOf(const std::vector<Choice>& choices) {
  TestKernel k;
  std::vector<bool> is_defined(kTensors, false);
  for (int i = 0; i < kTensors; ++i) {
    k.Psum("t" + std::to_string(i), i == 4 ? 64 : 2, kBytes,
           i == 3 ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{});
  }
  std::vector<LoopId> open;
  const auto block_of = [&](const Choice& c) -> std::vector<AffineExpr> {
    if (c.tensor != 3) return {};
    if (c.loop < 2 || open.empty()) return {c.loop % 2};
    return {Modulo(Times(open.back(), 1, c.offset), 2)};
  };
  const auto body = [&](const Choice& c) {
    const TensorId t(c.tensor);
    if (!is_defined[static_cast<std::size_t>(c.tensor)]) {
      if (!open.empty()) return;
      k.Write(t, {.block = c.tensor == 3 ? std::vector<AffineExpr>{0} : std::vector<AffineExpr>{}});
      if (c.tensor == 3) k.Write(t, {.block = {1}});
      is_defined[static_cast<std::size_t>(c.tensor)] = true;
    }
    Part part;
    part.block = block_of(c);
    if (c.kind != 6) {
      part.count = c.count;
      part.offset = c.offset;
      if (!open.empty()) {
        part.offset =
            Times(open[static_cast<std::size_t>(c.loop) % open.size()], c.coefficient, c.offset);
      }
      if (c.count == 4) part = Part{.block = part.block};
    }
    Instruction& op = c.kind == 0   ? k.Read(t, part)
                      : c.kind == 2 ? k.Accumulate(t, part)
                      : c.kind == 3 ? k.Op({k.At(t, part)}, {k.At(t, part)})
                                    : k.Write(t, part);
    if (open.empty()) return;
    if (c.predicate == 1) op.when = {AtLeastZero(Times(open.back(), 1, -1))};
    if (c.predicate == 2) op.when = {AtLeastZero(Times(open.back(), -1))};
    if (c.predicate == 3) op.when = {AtLeastZero(Times(open.front(), -1))};
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

// How many of the random cases did what the property is about.
struct Coverage {
  int cases = 0;
  int spilled = 0;
  int spilled_in_loops = 0;
};

void CheckOneKernel(Coverage& coverage) {
  const TestKernel k = KernelOf(*Choices());
  const std::int64_t banks = *rc::gen::inRange<std::int64_t>(3, 6);
  const Target target = FindTarget("trn2").value();
  const auto allocation =
      AllocatePsum(k.kernel(), target, *MakeClosedFormHwm(target), {.banks = BankCount(banks)});
  ++coverage.cases;
  if (!allocation) {
    RC_ASSERT(allocation.error().kind == Kind::kCapacity);
    return;
  }
  const bool has_spilled = !allocation->stats.spilled.empty();
  coverage.spilled += has_spilled ? 1 : 0;
  coverage.spilled_in_loops += has_spilled && !k.kernel().loops.empty() ? 1 : 0;
  const LinearKernel linear = Linearize(allocation->kernel);
  for (const CheckResult& result :
       CheckPlacement(linear, allocation->placement, target,
                      {.sbuf_bytes = {}, .psum_banks = BankCount(banks)})) {
    for (const Violation& violation : result.violations) {
      if (violation.space == Space::kPsum) RC_FAIL(violation.text);
    }
  }
  const LinearKernel original = k.Linear();
  TagMachine program(original);
  TagMachine placed(linear, &allocation->placement);
  RC_ASSERT(placed.Run() == program.Run());
  RC_ASSERT(placed.broken_accumulations() == 0);
}

TEST(AllocatePsumProperty, PlacesLegallyAndReadsWhatTheProgramReads) {
  Coverage coverage;
  EXPECT_TRUE(
      rc::check("a placed kernel reads what the program reads", [&] { CheckOneKernel(coverage); }));
  EXPECT_GT(coverage.spilled * 10, coverage.cases) << "too few cases spill to prove anything";
  EXPECT_GT(coverage.spilled_in_loops * 10, coverage.cases);
}

RC_GTEST_PROP(AllocatePsumProperty, SpillsNothingWhereEveryTensorHasItsOwnBank, ()) {
  const TestKernel k = KernelOf(*Choices());
  const Target target = FindTarget("trn2").value();
  const auto allocation = AllocatePsum(k.kernel(), target, *MakeClosedFormHwm(target), {});
  RC_ASSERT(allocation.has_value());
  RC_ASSERT(allocation->stats.spilled.empty());
}

}  // namespace
}  // namespace spillway
