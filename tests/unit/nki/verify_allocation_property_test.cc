// The choke point against the plain rules, on random allocations at the edges.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "model/alloc/nki/verify_allocation.h"
#include "tests/property/run_property.h"
#include "tests/unit/nki/random_allocation.h"

namespace spillway::nki {
namespace {

plain::Broken BrokenOf(const std::vector<Violation>& violations) {
  plain::Broken broken;
  for (const Violation& violation : violations)
    broken.emplace(RuleOf(violation), BlockOf(violation));
  return broken;
}

std::string Show(const plain::Broken& broken) {
  std::string text;
  for (const auto& [rule, block] : broken) text += rule + " " + block + "; ";
  return text;
}

TEST(VerifyAllocationProperty, FunctionsBreakTheRulesThatThePlainReadingSays) {
  Shares shares;
  CheckProperty("nki functions", 4000, [&] {
    const Target target = AnyTarget();
    const bool psum = OneIn(2);
    const Tensor tensor = AnyTiles(target, psum);
    const bool legal = OneIn(3);
    plain::Tuples tuples;
    for (std::size_t b = plain::Blocks(tensor.blocks).size(); b > 0; --b) {
      tuples.emplace_back(legal ? LegalTuple(tensor, target) : AnyTuple(tensor, target));
      if (!legal && OneIn(20)) tuples.back().reset();
    }
    const plain::Broken expected = plain::JudgeTuples(MachineOf(target), psum, tensor.shape[0],
                                                      tensor.shape[1], tensor.blocks, tuples);
    const std::vector<Violation> found = VerifyAllocation(tensor, LookUp(tensor, tuples), target);
    RC_LOG() << TextOf(found) << "expected " << Show(expected) << "\n";
    RC_ASSERT(BrokenOf(found) == expected);
    const auto at = CreateBufferAllocationOnBlocks(tensor, LookUp(tensor, tuples), target);
    RC_ASSERT(at.has_value() == expected.empty());
    shares.Case();
    shares.Count("legal", expected.empty());
    shares.Count("several rules broken", expected.size() > 1);
    shares.Count("several blocks", tuples.size() > 1);
  });
  shares.AtLeast("legal", 15);
  shares.AtLeast("several rules broken", 25);
  shares.AtLeast("several blocks", 40);
}

TEST(VerifyAllocationProperty, LawsBreakTheRulesThatThePlainReadingSays) {
  Shares shares;
  CheckProperty("nki laws", 4000, [&] {
    const Target target = AnyTarget();
    const bool psum = OneIn(2);
    const Tensor tensor = AnyTiles(target, psum);
    const ModuloLaw law = AnyLaw(tensor, target);
    const AllocFunc func =
        psum ? AllocFunc(PsumModuloAllocFunc{law}) : AllocFunc(SbufModuloAllocFunc{law});
    const plain::Law numbers{law.base_bank.value, law.base_addr.value, law.base_partition.value,
                             law.num_bank_tiles,  law.num_par_tiles,   law.num_free_tiles};
    const plain::Broken expected = plain::JudgeLaw(MachineOf(target), psum, tensor.shape[0],
                                                   tensor.shape[1], tensor.blocks, numbers);
    const std::vector<Violation> found = VerifyAllocation(tensor, func, target);
    RC_LOG() << TextOf(found) << "expected " << Show(expected) << "\n";
    RC_ASSERT(BrokenOf(found) == expected);
    const auto at = CreateBufferAllocationOnBlocks(tensor, func, target);
    RC_ASSERT(at.has_value() == expected.empty());
    bool steps = false;
    if (at) {
      const std::vector<Numbers> blocks = plain::Blocks(tensor.blocks);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::int64_t bank = plain::Place(blocks[b], numbers.banks, 2048, 0);
        const std::int64_t byte =
            psum ? numbers.base_bank * 2048 + bank
                 : plain::Place(blocks[b], numbers.frees, tensor.shape[1], numbers.base_addr);
        const std::int64_t partition =
            psum ? 0 : plain::Place(blocks[b], numbers.pars, tensor.shape[0], 0);
        RC_ASSERT((*at)[b] == (Address{Partition(partition), ByteOffset(byte)}));
        steps = steps || (*at)[b] != (*at)[0];
      }
    }
    shares.Case();
    shares.Count("legal", expected.empty());
    shares.Count("legal with several places", steps);
    shares.Count("broken in a block", std::any_of(expected.begin(), expected.end(),
                                                  [](const auto& b) { return !b.second.empty(); }));
  });
  shares.AtLeast("legal", 15);
  shares.AtLeast("legal with several places", 5);
  shares.AtLeast("broken in a block", 20);
}

/// One way to break one rule of a legal tuple.
struct Injection {
  std::string rule;
  Kind kind;
  Numbers tuple;
};

std::vector<Injection> InjectionsInto(const Numbers& legal, const Tensor& tensor,
                                      const Target& target) {
  const plain::Machine m = MachineOf(target);
  if (tensor.space == Space::kPsum) {
    return {{"psum-bank", Kind::kPsumBank, {m.banks + Below(3), 0, 0}},
            {"psum-bank", Kind::kPsumBank, {-1 - Below(3), 0, 0}},
            {"psum-start-partition", Kind::kStartPartition, {legal[0], 32 * (1 + Below(3)), 0}},
            {"psum-byte-addr", Kind::kMisaligned, {legal[0], 0, 1 + Below(2047)}},
            {"partition-end", Kind::kPartitionRange, {legal[0], m.psum_partitions, 0}},
            {"psum-tuple", Kind::kShape, {legal[0], 0}}};
  }
  const std::int64_t p = tensor.shape[0];
  const std::int64_t step = p <= 32 ? 32 : p <= 64 ? 64 : 128;
  std::vector<Injection> all = {
      {"sbuf-start-partition",
       Kind::kStartPartition,
       {legal[0] + 1 + Below(static_cast<int>(step) - 1), legal[1]}},
      {"partition-end", Kind::kPartitionRange, {m.partitions, legal[1]}},
      {"sbuf-window", Kind::kOutOfRange, {legal[0], m.window + Below(5000)}},
      {"sbuf-window", Kind::kOutOfRange, {legal[0], -1 - Below(100)}},
      {"sbuf-tuple", Kind::kShape, {legal[0], legal[1], 0}}};
  const std::int64_t room = m.window - tensor.shape[1];
  if (tensor.shape[1] > 1 && room >= 0)
    all.push_back({"sbuf-tile-end", Kind::kOutOfRange, {legal[0], room + 1}});
  if (m.align > 1)
    all.push_back({"sbuf-alignment", Kind::kMisaligned, {legal[0], legal[1] + 1 + Below(3)}});
  return all;
}

TEST(VerifyAllocationProperty, AnyViolationInjectedIsReportedInItsBlock) {
  Shares shares;
  std::set<std::string> injected;
  CheckProperty("nki injections", 3000, [&] {
    const Target target = AnyTarget();
    Tensor tensor = AnyTiles(target, OneIn(2));
    // Sizes that no place can help are rows of the table.
    const plain::Machine m = MachineOf(target);
    if (tensor.space == Space::kPsum) {
      tensor.shape[0] = std::min(tensor.shape[0], m.psum_partitions);
      tensor.shape[1] = std::min(tensor.shape[1], m.bank_bytes);
    } else {
      tensor.shape[0] = std::min(tensor.shape[0], m.partitions);
    }
    const std::vector<Numbers> blocks = plain::Blocks(tensor.blocks);
    plain::Tuples tuples;
    for (std::size_t b = 0; b < blocks.size(); ++b) tuples.emplace_back(LegalTuple(tensor, target));
    RC_ASSERT(VerifyAllocation(tensor, LookUp(tensor, tuples), target).empty());

    const auto broken = static_cast<std::size_t>(Below(static_cast<int>(blocks.size())));
    const Injection injection = AnyOf(InjectionsInto(*tuples[broken], tensor, target));
    tuples[broken] = injection.tuple;
    const std::vector<Violation> found = VerifyAllocation(tensor, LookUp(tensor, tuples), target);
    RC_LOG() << injection.rule << ":\n" << TextOf(found);
    RC_ASSERT(std::any_of(found.begin(), found.end(), [&](const Violation& violation) {
      return RuleOf(violation) == injection.rule && violation.kind == injection.kind;
    }));
    for (const Violation& violation : found)
      RC_ASSERT(BlockOf(violation) == plain::Text(blocks[broken]));
    injected.insert(injection.rule);
    shares.Case();
    shares.Count("one block of several", blocks.size() > 1);
    shares.Count("last block", broken + 1 == blocks.size());
  });
  shares.AtLeast("one block of several", 40);
  shares.AtLeast("last block", 20);
  EXPECT_EQ(injected.size(), 10u);
}

}  // namespace
}  // namespace spillway::nki
