#include "model/alloc/sbuf/insert_spill_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/alloc/ir/exposure.h"
#include "model/alloc/sbuf/spill_operands.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

class SpillInserter {
 public:
  SpillInserter(const LinearKernel& linear, const std::vector<TensorId>& spilled,
                const IdVector<TensorId, bool>& loads, const Homes& homes, SpillCounters counters)
      : linear_(linear),
        old_(linear.kernel),
        spilled_(spilled),
        before_(linear.point_count()),
        after_(linear.point_count()),
        dropped_(linear.point_count(), false) {
    result_.kernel = linear.kernel;
    result_.homes = homes;
    result_.counters = counters;
    for (const Tensor& tensor : old_.tensors) names_.insert(tensor.name);
    for (const TensorId tensor : spilled) FindHome(tensor, loads[tensor]);
  }

  void Materialize(const Residence& residence) {
    const Tensor& tensor = old_.tensors[residence.tensor];
    Home home = home_of_.at(residence.tensor);
    if (!tensor.blocks.empty()) home.block = residence.uses.front().block;
    const std::string name =
        FreshName(fmt::format("{}_ReloadStore", tensor.name), result_.counters.reload_copies);
    const TensorId copy = result_.kernel.tensors.push_back(MakeWorkingCopy(tensor, name));
    const bool is_stale = SPILLWAY_FAULT(C17, false, !result_.homes.empty());
    result_.homes[copy] = is_stale ? result_.homes.rbegin()->second : home;
    CoveredRegions resident;
    for (const SpilledUse& use : residence.uses) {
      const Instruction& instruction = linear_.instruction(use.point);
      for (const Access* read : use.reads) {
        SymbolicRegion region = RegionOf(old_, instruction, *read);
        if (SPILLWAY_FAULT(C12, resident.Covers(region), false)) {
          ++result_.counters.reloads_removed;
          continue;
        }
        std::vector<Predicate> when = instruction.when;
        if (SPILLWAY_FAULT(C9, false, linear_.loop_of[use.point].has_value())) {
          const LoopId loop = *linear_.loop_of[use.point];
          AffineExpr first(-old_.loops[loop].begin);
          first.terms.push_back({loop, 1});
          when.push_back({std::move(first), Comparison::kEqual});
        }
        auto& reloads = SPILLWAY_FAULT(C8, before_, after_)[use.point];
        reloads.push_back(Reload(tensor, *read->operand, copy, home, when, region));
        resident.Add(std::move(region));
      }
      for (const Access* write : use.writes) {
        SPILLWAY_CHECK(home.dram, "a tensor that is written has a home to save to");
        const SpillOperands ends =
            SpillOperandsOf(tensor, *write->operand, copy, *home.dram, home.block);
        if (ends.whole_block) {
          // The save will write the whole block, so the rest of it must be current.
          before_[use.point].push_back(
              MakeSpillDma(SpillRole::kReload, ends.home, ends.copy, instruction.when));
        }
        auto& saves = SPILLWAY_FAULT(C7, after_, before_)[use.point];
        if (SPILLWAY_FAULT(C6, true, use.reads.empty())) {
          saves.push_back(
              MakeSpillDma(SpillRole::kSave, ends.copy, ends.home,
                           SPILLWAY_FAULT(C16, instruction.when, std::vector<Predicate>())));
        }
        resident.Add(RegionOf(old_, instruction, *write));
      }
      Rename(use, copy);
    }
  }

  SpilledFunction Finish() {
    DropUselessSaves();
    Kernel& kernel = result_.kernel;
    IdVector<InstructionId, Instruction> renamed = std::move(kernel.instructions);
    kernel.instructions = {};
    kernel.body.clear();
    const auto emit = [&](Instruction instruction) {
      const InstructionId id = kernel.instructions.push_back(std::move(instruction));
      kernel.body.push_back({BodyKind::kInstruction, id.value});
    };
    for (std::size_t p = 0; p < linear_.point_count(); ++p) {
      const BodyItem& item = old_.body[p];
      if (item.kind != BodyKind::kInstruction) {
        kernel.body.push_back(item);
        continue;
      }
      if (dropped_[PointId(p)]) continue;
      for (Instruction& reload : before_[PointId(p)]) emit(std::move(reload));
      emit(std::move(renamed[item.instruction()]));
      for (Instruction& save : after_[PointId(p)]) emit(std::move(save));
    }
    return std::move(result_);
  }

 private:
  void FindHome(TensorId tensor, bool is_load) {
    const auto known = result_.homes.find(tensor);
    if (known != result_.homes.end()) {
      Home home = known->second;
      // Until now every use found its bytes resident, and the home was dropped.
      if (!home.dram && !home.load_source) home = MintHome(tensor);
      home_of_[tensor] = std::move(home);
      // The copy's own DMAs go with it; its uses get new ones.
      for (const PointAccess& access : linear_.accesses_of[tensor]) {
        if (IsSpillDma(linear_.instruction(access.point))) dropped_[access.point] = true;
      }
      result_.homes.erase(known);
      return;
    }
    if (is_load) {
      const PointId load = linear_.accesses_of[tensor].front().point;
      dropped_[load] = true;
      home_of_[tensor] = {std::nullopt,
                          {},
                          linear_.instruction(load).inputs[0].operands[0],
                          linear_.instruction(load).outputs[0].operands[0]};
      return;
    }
    home_of_[tensor] = MintHome(tensor);
  }

  Home MintHome(TensorId tensor) {
    const Tensor& original = old_.tensors[tensor];
    const std::string name =
        FreshName(fmt::format("{}_SpillSave", original.name), result_.counters.homes);
    return {
        result_.kernel.tensors.push_back(MakeHome(original, name)), {}, std::nullopt, std::nullopt};
  }

  // "<stem><serial>", with the next serial whose name nothing has yet.
  std::string FreshName(const std::string& stem, std::int64_t& serial) {
    std::string name;
    do {
      name = fmt::format("{}{}", stem, ++serial);
    } while (!names_.insert(name).second);
    return name;
  }

  // `region` grows to what the reload really brings.
  Instruction Reload(const Tensor& tensor, const Operand& wanted, TensorId copy, const Home& home,
                     const std::vector<Predicate>& when, SymbolicRegion& region) const {
    if (home.load_source) {
      Operand destination = *home.load_destination;
      destination.tensor = copy;
      Instruction dma = MakeSpillDma(SpillRole::kReload, *home.load_source, destination, when);
      region = RegionOf(result_.kernel, dma, {copy, &destination, "dst", true, false});
      return dma;
    }
    SpillOperands ends = SpillOperandsOf(tensor, wanted, copy, *home.dram, home.block);
    ends.home.free_offset = SPILLWAY_FAULT(C15, ends.home.free_offset, AffineExpr(0));
    return MakeSpillDma(SpillRole::kReload, ends.home, ends.copy, when);
  }

  void Rename(const SpilledUse& use, TensorId copy) {
    Instruction& instruction =
        result_.kernel.instructions[old_.body[use.point.value].instruction()];
    for (auto* groups : {&instruction.outputs, &instruction.inputs}) {
      for (OperandGroup& group : *groups) {
        for (Operand& operand : group.operands) {
          if (operand.tensor != use.tensor || operand.block != use.block) continue;
          operand.tensor = copy;
          operand.block.clear();
        }
      }
    }
  }

  // A home that nothing reloads from needs no saves. Earlier rounds' reloads stand in the body.
  void DropUselessSaves() {
    std::set<TensorId> read_homes;
    const auto note = [&](const Instruction& instruction) {
      for (const OperandGroup& group : instruction.inputs) {
        for (const Operand& operand : group.operands) read_homes.insert(operand.tensor);
      }
    };
    for (const std::vector<Instruction>& reloads : before_) {
      for (const Instruction& reload : reloads) note(reload);
    }
    for (std::size_t p = 0; p < linear_.point_count(); ++p) {
      if (linear_.IsInstruction(PointId(p)) && !dropped_[PointId(p)])
        note(linear_.instruction(PointId(p)));
    }
    for (std::vector<Instruction>& saves : after_) {
      std::erase_if(saves, [&](const Instruction& save) {
        return !read_homes.contains(save.outputs[0].operands[0].tensor);
      });
    }
  }

  const LinearKernel& linear_;
  const Kernel& old_;
  const std::vector<TensorId>& spilled_;
  IdVector<PointId, std::vector<Instruction>> before_;
  IdVector<PointId, std::vector<Instruction>> after_;
  IdVector<PointId, bool> dropped_;
  std::map<TensorId, Home> home_of_;  // by spilled tensor
  std::set<std::string, std::less<>> names_;
  SpilledFunction result_;
};

}  // namespace

Result<SpilledFunction> InsertSpillCode(const LinearKernel& linear,
                                        const IdVector<NodeId, Node>& nodes,
                                        const std::vector<TensorId>& spilled,
                                        const IdVector<TensorId, bool>& loads, const Homes& homes,
                                        SpillCounters counters, Granules capacity, Bytes granule,
                                        std::int64_t spill_cap) {
  std::vector<TensorId> apart;
  for (const TensorId tensor : spilled) {
    if (homes.contains(tensor)) apart.push_back(tensor);
  }
  std::vector<SpilledUse> uses = CollectUses(linear, spilled);
  // The load of a tensor that repeats its load is no use: it goes.
  std::erase_if(uses, [&](const SpilledUse& use) {
    return loads[use.tensor] && !homes.contains(use.tensor) && !use.writes.empty();
  });
  const std::vector<Residence> residences =
      FindResidences(linear, std::move(uses), apart,
                     FreeGranules(nodes, spilled, linear.point_count(), capacity), granule);
  const std::int64_t cap = SPILLWAY_FAULT(C18, spill_cap, 2 * spill_cap + 2);
  if (counters.reload_copies + static_cast<std::int64_t>(residences.size()) > cap) {
    return Fail(
        {Kind::kSpillCap, "spill-cap",
         fmt::format("Warning: too many spills required, turning optimizations off: {} reload "
                     "copies needed, the cap is {}",
                     counters.reload_copies + static_cast<std::int64_t>(residences.size()),
                     spill_cap),
         "", 0});
  }
  SpillInserter inserter(linear, spilled, loads, homes, counters);
  for (const Residence& residence : residences) inserter.Materialize(residence);
  return inserter.Finish();
}

}  // namespace spillway
