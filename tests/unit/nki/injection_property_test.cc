// Every rule of direct allocation, injected into random legal allocations: each time it is reported
// by its name.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "tests/property/run_property.h"
#include "tests/unit/nki/kernel_boundaries.h"
#include "tests/unit/nki/random_allocation.h"

namespace spillway::nki {
namespace {

/// A legal allocation of a tensor.
struct Legal {
  Tensor tensor;
  AllocFunc func;
};

Tensor LegalTiles(const Target& target, bool psum) {
  Tensor tensor = AnyTiles(target, psum);
  const plain::Machine m = MachineOf(target);
  tensor.shape[0] = std::min(tensor.shape[0], psum ? m.psum_partitions : m.partitions);
  if (psum) tensor.shape[1] = std::min(tensor.shape[1], m.bank_bytes);
  return tensor;
}

Legal WithFunction(const Target& target, bool psum) {
  const Tensor tensor = LegalTiles(target, psum);
  plain::Tuples tuples;
  for (std::size_t b = plain::Blocks(tensor.blocks).size(); b > 0; --b)
    tuples.emplace_back(LegalTuple(tensor, target));
  return {tensor, LookUp(tensor, tuples)};
}

Legal WithLaw(const Target& target, bool psum) {
  Tensor tensor = LegalTiles(target, psum);
  const plain::Machine m = MachineOf(target);
  ModuloLaw law;
  if (psum) {
    law.base_bank = BankId(Below(static_cast<int>(m.banks)));
    return {tensor, PsumModuloAllocFunc{law}};
  }
  // Few enough bytes for all tiles of the counts, on the alignment.
  tensor.shape[1] = AnyOf<std::int64_t>({4, 64, 2048});
  for (std::size_t d = 0; d < tensor.blocks.size(); ++d) law.num_free_tiles.push_back(1 + Below(4));
  law.base_addr = ByteOffset(4 * Below(1000));
  return {tensor, SbufModuloAllocFunc{law}};
}

bool IsPsum(const Legal& legal) { return legal.tensor.space == Space::kPsum; }

ModuloLaw LawIn(const Legal& legal) {
  const ModuloLaw* law = LawOf(legal.func);
  return law == nullptr ? ModuloLaw{} : *law;
}

void SetLaw(Legal& legal, ModuloLaw law) {
  if (IsPsum(legal)) {
    legal.func = PsumModuloAllocFunc{std::move(law)};
  } else {
    legal.func = SbufModuloAllocFunc{std::move(law)};
  }
}

/// The function with another tuple for one of its blocks, or none: there it throws.
void ChangeTuple(Legal& legal, const std::function<std::optional<Numbers>(Numbers)>& change) {
  const Numbers changed = AnyOf(plain::Blocks(legal.tensor.blocks));
  const TileFunction old = IsPsum(legal) ? std::get<PsumAllocFunc>(legal.func).func
                                         : std::get<SbufAllocFunc>(legal.func).func;
  const std::optional<Numbers> other =
      change(old(changed, Partitions(legal.tensor), BlockBytes(legal.tensor)));
  const TileFunction func = [=](std::span<const std::int64_t> idx, PartitionCount p, Bytes f) {
    const bool is_other = std::equal(idx.begin(), idx.end(), changed.begin(), changed.end());
    return is_other ? other.value() : old(idx, p, f);
  };
  if (IsPsum(legal)) {
    legal.func = PsumAllocFunc{func};
  } else {
    legal.func = SbufAllocFunc{func};
  }
}

/// How a rule is broken in a legal allocation.
struct Injection {
  AllocationRule rule;
  enum Into { kSbufFunction, kPsumFunction, kSbufLaw, kPsumLaw } into;
  std::function<void(Legal&, const plain::Machine&)> inject;
};

Injection Tuple(AllocationRule rule, Injection::Into into,
                const std::function<void(Numbers&, const Legal&, const plain::Machine&)>& change) {
  return {rule, into, [change](Legal& legal, const plain::Machine& m) {
            const Legal before = legal;
            ChangeTuple(legal, [&](Numbers tuple) {
              change(tuple, before, m);
              return tuple;
            });
          }};
}
Injection Law(AllocationRule rule, Injection::Into into,
              const std::function<void(ModuloLaw&, Legal&, const plain::Machine&)>& change) {
  return {rule, into, [change](Legal& legal, const plain::Machine& m) {
            ModuloLaw law = LawIn(legal);
            change(law, legal, m);
            SetLaw(legal, std::move(law));
          }};
}
Injection Shape(AllocationRule rule, Injection::Into into,
                const std::function<void(Tensor&, const plain::Machine&)>& change) {
  return {rule, into, [change](Legal& legal, const plain::Machine& m) { change(legal.tensor, m); }};
}

Numbers OneCountWrong(const Legal& legal) {
  Numbers counts(legal.tensor.blocks.size(), 1);
  if (counts.empty() || OneIn(2)) {
    counts.push_back(1);
  } else {
    counts.back() = -Below(2);
  }
  return counts;
}

// A tensor of blocks, so that there is a count to be wrong.
Numbers WithOneTwo(Legal& legal) {
  if (legal.tensor.blocks.empty()) legal.tensor.blocks = {2};
  Numbers counts(legal.tensor.blocks.size(), 1);
  counts[static_cast<std::size_t>(Below(static_cast<int>(counts.size())))] = 2;
  return counts;
}

void AddTupleInjections(std::vector<Injection>& all) {
  using enum AllocationRule;
  using I = Injection;
  for (const auto into : {I::kSbufFunction, I::kPsumFunction}) {
    const std::size_t start = into == I::kPsumFunction ? 1 : 0;
    all.push_back(
        Tuple(kPartitionEnd, into, [=](Numbers& t, const Legal&, const plain::Machine& m) {
          t[start] = OneIn(2) ? -1 : start == 1 ? m.psum_partitions : m.partitions;
        }));
    all.push_back({kFunction, into, [](Legal& legal, const plain::Machine&) {
                     ChangeTuple(legal, [](Numbers) { return std::nullopt; });
                   }});
    all.push_back({kMemory, into, [](Legal& legal, const plain::Machine&) {
                     legal.func = IsPsum(legal) ? SbufAt(0, 0) : PsumAt(0, 0, 0);
                   }});
    all.push_back(Shape(kBlockCount, into, [](Tensor& tensor, const plain::Machine&) {
      tensor.blocks = {OneIn(2) ? 0 : kMostBlocks + 1};
    }));
    all.push_back(Shape(kTensorShape, into,
                        [](Tensor& tensor, const plain::Machine&) { tensor.shape[1] = 0; }));
    all.push_back(Shape(kPartitionCount, into, [=](Tensor& tensor, const plain::Machine& m) {
      tensor.shape[0] = OneIn(2) ? 0 : 1 + (start == 1 ? m.psum_partitions : m.partitions);
    }));
    all.push_back(Tuple(start == 1 ? kPsumTuple : kSbufTuple, into,
                        [](Numbers& t, const Legal&, const plain::Machine&) {
                          t.resize(OneIn(2) ? t.size() - 1 : t.size() + 1);
                        }));
  }
  const auto sbuf = [&](AllocationRule rule, auto change) {
    all.push_back(Tuple(rule, I::kSbufFunction, change));
  };
  const auto psum = [&](AllocationRule rule, auto change) {
    all.push_back(Tuple(rule, I::kPsumFunction, change));
  };
  sbuf(kSbufStartPartition, [](Numbers& t, const Legal&, const plain::Machine&) { t[0] += 1; });
  sbuf(kSbufWindow, [](Numbers& t, const Legal&, const plain::Machine& m) {
    t[1] = OneIn(2) ? -1 : m.window + Below(5000);
  });
  sbuf(kSbufTileEnd, [](Numbers& t, const Legal& legal, const plain::Machine& m) {
    // A tile of one byte ends past the window only where it starts there.
    t[1] = std::min(m.window - 1, m.window - legal.tensor.shape[1] + 1);
  });
  sbuf(kSbufAlignment, [](Numbers& t, const Legal&, const plain::Machine&) { t[1] ^= 1; });
  psum(kPsumBank, [](Numbers& t, const Legal&, const plain::Machine& m) {
    t[0] = OneIn(2) ? -1 : m.banks + Below(3);
  });
  psum(kPsumStartPartition,
       [](Numbers& t, const Legal&, const plain::Machine&) { t[1] = 1 + Below(127); });
  psum(kPsumByteAddr, [](Numbers& t, const Legal&, const plain::Machine& m) {
    t[2] = 1 + Below(static_cast<int>(m.bank_bytes) - 1);
  });
  all.push_back(Shape(kPsumTileSize, I::kPsumFunction, [](Tensor& t, const plain::Machine& m) {
    t.shape[1] = m.bank_bytes + 1 + Below(100);
  }));
}

void AddLawInjections(std::vector<Injection>& all) {
  using enum AllocationRule;
  using I = Injection;
  for (const auto into : {I::kSbufLaw, I::kPsumLaw}) {
    all.push_back(Law(kTileCounts, into, [](ModuloLaw& law, Legal& legal, const plain::Machine&) {
      (OneIn(2) ? law.num_par_tiles : law.num_free_tiles) = OneCountWrong(legal);
    }));
    all.push_back(Law(kBasePartition, into, [](ModuloLaw& law, Legal&, const plain::Machine&) {
      law.base_partition = Partition(AnyOf<std::int64_t>({-1, 1, 32, 64}));
    }));
    all.push_back(Law(kBaseBank, into, [](ModuloLaw& law, Legal&, const plain::Machine&) {
      law.base_bank = BankId(-1);
    }));
    all.push_back(Law(kModuloRange, into, [=](ModuloLaw& law, Legal&, const plain::Machine&) {
      const std::int64_t far = (std::int64_t{1} << 40) + 1 + Below(100);
      if (into == I::kPsumLaw) law.base_bank = BankId(far);
      if (into == I::kSbufLaw) law.base_addr = ByteOffset(far);
    }));
    all.push_back(Law(kBaseAddr, into, [=](ModuloLaw& law, Legal&, const plain::Machine&) {
      law.base_addr = ByteOffset(into == I::kPsumLaw ? 1 + Below(2047) : -1 - Below(100));
    }));
  }
  all.push_back(Law(
      kPsumParTiles, I::kPsumLaw,
      [](ModuloLaw& law, Legal& l, const plain::Machine&) { law.num_par_tiles = WithOneTwo(l); }));
  all.push_back(Law(
      kPsumFreeTiles, I::kPsumLaw,
      [](ModuloLaw& law, Legal& l, const plain::Machine&) { law.num_free_tiles = WithOneTwo(l); }));
  all.push_back(
      Law(kParTilesHeight, I::kSbufLaw, [](ModuloLaw& law, Legal& l, const plain::Machine& m) {
        l.tensor.shape[0] = m.partitions / 2 + Below(65);
        law.num_free_tiles = {};
        law.num_par_tiles = WithOneTwo(l);
      }));
  all.push_back(
      Law(kSbufTileEnd, I::kSbufLaw, [](ModuloLaw& law, Legal& l, const plain::Machine& m) {
        law.base_addr = ByteOffset(m.window - l.tensor.shape[1] + 1);
      }));
  all.push_back(Law(kPsumBank, I::kPsumLaw, [](ModuloLaw& law, Legal&, const plain::Machine& m) {
    law.base_bank = BankId(m.banks);
  }));
}

TEST(RuleInjections, AnyRuleOfATensorIsReportedByNameAndKindOnEveryTarget) {
  std::vector<Injection> all;
  AddTupleInjections(all);
  AddLawInjections(all);
  std::map<std::string, std::set<std::string>> targets_of;  // rule and memory
  std::map<std::string, int> times;
  Shares shares;
  CheckProperty("nki rule injections", 6000, [&] {
    const Injection injection = AnyOf(all);
    Target target = AnyOf(BuiltInTargets());
    if (injection.rule == AllocationRule::kSbufAlignment) target.sbuf_min_align.value = Bytes(4);
    const bool psum =
        injection.into == Injection::kPsumFunction || injection.into == Injection::kPsumLaw;
    const bool by_law =
        injection.into == Injection::kSbufLaw || injection.into == Injection::kPsumLaw;
    Legal legal = by_law ? WithLaw(target, psum) : WithFunction(target, psum);
    const std::vector<Violation> none = VerifyAllocation(legal.tensor, legal.func, target);
    RC_LOG() << TextOf(none);
    RC_ASSERT(none.empty());
    const bool one_byte = legal.tensor.shape[1] == 1;
    if (injection.rule == AllocationRule::kSbufTileEnd && one_byte) return;
    injection.inject(legal, MachineOf(target));
    const AllocationRuleRow& row = RowOf(injection.rule);
    const std::vector<Violation> found = VerifyAllocation(legal.tensor, legal.func, target);
    RC_LOG() << row.name << ":\n" << TextOf(found);
    RC_ASSERT(std::any_of(found.begin(), found.end(), [&](const Violation& violation) {
      return RuleOf(violation) == row.name && violation.kind == row.kind;
    }));
    RC_ASSERT(!CreateBufferAllocationOnBlocks(legal.tensor, legal.func, target).has_value());
    const std::string where = std::string(row.name) + (psum ? " in psum" : " in sbuf");
    targets_of[where].insert(target.name);
    ++times[std::string(row.name)];
    shares.Case();
    shares.Count("psum", psum);
    shares.Count("by a law", by_law);
    shares.Count("several blocks", plain::Blocks(legal.tensor.blocks).size() > 1);
  });
  shares.AtLeast("psum", 35);
  shares.AtLeast("by a law", 25);
  shares.AtLeast("several blocks", 25);
  for (const AllocationRuleRow& row : AllocationRules()) {
    if (row.rule >= AllocationRule::kMixedAllocation) continue;  // below
    EXPECT_GE(times[std::string(row.name)], 50) << row.name;
  }
  for (const auto& [where, targets] : targets_of)
    EXPECT_EQ(targets.size(), BuiltInTargets().size()) << where;
}

/// A legal kernel with tiles at random places and one change that breaks a rule of kernels.
struct KernelInjection {
  AllocationRule rule;
  std::function<void(Kernel&)> inject;
};

Tensor& LastOf(Kernel& kernel) { return kernel.tensors[TensorId(kernel.tensors.size() - 1)]; }

std::vector<KernelInjection> KernelInjections() {
  using enum AllocationRule;
  const auto op = [](std::string name) {
    return [name](Kernel& kernel) {
      kernel.instructions[InstructionId(kernel.instructions.size() - 1)].op = name;
    };
  };
  return {
      {kMixedAllocation, [](Kernel& k) { LastOf(k).at.clear(); }},
      {kAddressCount, [](Kernel& k) { LastOf(k).at.pop_back(); }},
      {kAddressCount, [](Kernel& k) { LastOf(k).at.push_back(LastOf(k).at.front()); }},
      {kImplicitBias, op("activation")},
      {kImplicitBias, op("gelu")},
      {kImplicitTranspose, op("nc_transpose")},
      {kImplicitTranspose, op("transpose")},
      {kImplicitTemporary, op("softmax")},
      {kDramTensor, [](Kernel& k) { k.tensors[TensorId(0)].role = Role::kInternal; }},
      {kDramTensor, [](Kernel& k) { k.tensors[TensorId(1)].role = Role::kInternal; }},
      {kInitialValue, [](Kernel& k) { LastOf(k).role = Role::kConstant; }},
  };
}

TEST(RuleInjections, AnyRuleOfAKernelIsReportedByNameAndKindOnEveryTarget) {
  std::map<std::string, std::set<std::string>> targets_of;
  CheckProperty("nki kernel injections", 1500, [&] {
    const Target target = AnyOf(BuiltInTargets());
    DirectKernel direct;
    direct.b.Instruction("tensor_reduce")
        .Out("dst", direct.b.Whole(direct.result))
        .In("data", direct.b.Whole(direct.tile));
    Kernel kernel = direct.b.Build();
    const bool psum = OneIn(2);
    Tensor more = LegalTiles(target, psum);
    if (plain::Blocks(more.blocks).size() < 2) more.blocks = {2};
    more.name = "more";
    plain::Tuples tuples;
    for (std::size_t b = plain::Blocks(more.blocks).size(); b > 0; --b)
      tuples.emplace_back(LegalTuple(more, target));
    more.at = CreateBufferAllocationOnBlocks(more, LookUp(more, tuples), target).value();
    kernel.tensors.push_back(more);
    RC_ASSERT(VerifyKernel(kernel, target).violations.empty());
    if (OneIn(8)) {
      const CheckResult check = VerifyKernel(kernel, target, {.assigned = {"mor"}});
      RC_ASSERT(RulesOf(check.violations) == std::multiset<std::string>{"unknown-tensor"});
      targets_of["unknown-tensor"].insert(target.name);
      return;
    }
    const KernelInjection injection = AnyOf(KernelInjections());
    injection.inject(kernel);
    const AllocationRuleRow& row = RowOf(injection.rule);
    const std::vector<Violation> found = VerifyKernel(kernel, target).violations;
    RC_LOG() << row.name << ":\n" << TextOf(found);
    RC_ASSERT(found.size() == 1u);
    RC_ASSERT(RuleOf(found.front()) == row.name);
    RC_ASSERT(found.front().kind == row.kind);
    targets_of[std::string(row.name)].insert(target.name);
  });
  for (const AllocationRuleRow& row : AllocationRules()) {
    if (row.rule < AllocationRule::kMixedAllocation) continue;
    EXPECT_EQ(targets_of[std::string(row.name)].size(), BuiltInTargets().size()) << row.name;
  }
}

}  // namespace
}  // namespace spillway::nki
