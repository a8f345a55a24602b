#include "properties/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/modulo_law.h"

namespace spillway {
namespace {

struct BinRow {
  Bin bin;
  std::string_view name;
  int floor;          ///< per cent of the cases
  int ceiling = 100;  ///< the same
};
// Floors lie below what the generator gives, by a third or so: they tell a generator that went
// blind from one that was tuned.
constexpr std::array<BinRow, kBins> kRows = {{
    {Bin::kLoops, "loops", 60},
    {Bin::kNestedLoops, "nested loops", 30},
    {Bin::kThreeLoops, "three loops", 10},
    {Bin::kManyTrips, "many trips", 3},
    {Bin::kNoTrips, "no trips", 3},
    {Bin::kPredicates, "predicates", 30},
    {Bin::kPartialWrites, "partial writes", 40},
    {Bin::kBlocks, "blocks", 30},
    {Bin::kRotatingBlocks, "rotating blocks", 25},
    {Bin::kAccumulation, "accumulation", 20},
    {Bin::kNarrow, "narrow tensors", 50},
    {Bin::kPsum, "PSUM", 30},
    {Bin::kFixed, "fixed tensors", 3},
    {Bin::kSpilled, "spilled", 25},
    {Bin::kRespilled, "third round", 10},
    {Bin::kSaves, "saves", 20},
    {Bin::kReloadsRemoved, "reloads removed", 10},
    {Bin::kSpillsInLoops, "spills in loops", 15},
    {Bin::kGuardedSpills, "guarded spills", 3},
    {Bin::kPsumSpilled, "PSUM spilled", 5},
    {Bin::kOptimistic, "optimistic pushes", 30},
    {Bin::kSharedBands, "shared byte ranges in disjoint bands", 20},
    {Bin::kSharedBytes, "shared bytes", 40},
    {Bin::kRefused, "refused", 0, 15},
    {Bin::kBankSized, "tiles that end near a bank's end", 9},
    {Bin::kManyBanks, "tiles of several banks", 5},
    {Bin::kPsumBlocks, "PSUM blocks", 20},
    {Bin::kPsumRotating, "rotating PSUM blocks", 9},
    {Bin::kPsumParts, "partial PSUM writes", 25},
    {Bin::kPsumPredicates, "predicated PSUM writes", 15},
    {Bin::kHundredTrips, "a hundred trips", 1},
    {Bin::kLongTurns, "turns of more than 32", 1},
    {Bin::kInf1, "inf1", 3},
}};

// What comes before it is the generator's doing alone.
constexpr Bin kFirstOfAllocation = Bin::kSpilled;

bool IsWhole(const Kernel& kernel, const Operand& operand) {
  const Tensor& tensor = kernel.tensors[operand.tensor];
  std::int64_t elements = 1;
  for (const FreeDim& dim : operand.free_dims) elements *= dim.count;
  return operand.partition_count == Partitions(tensor).value && elements == FreeElements(tensor);
}

BinSet LoopBins(const Kernel& kernel) {
  constexpr std::int64_t kMany = 8;
  constexpr std::int64_t kHundred = 100;
  BinSet bins = 0;
  for (const Loop& loop : kernel.loops) {
    bins |= Only(Bin::kLoops);
    if (loop.parent) bins |= Only(Bin::kNestedLoops);
    if (loop.parent && kernel.loops[*loop.parent].parent) bins |= Only(Bin::kThreeLoops);
    if (TripCount(loop) >= kMany) bins |= Only(Bin::kManyTrips);
    if (TripCount(loop) >= kHundred) bins |= Only(Bin::kHundredTrips);
    if (TripCount(loop) == 0) bins |= Only(Bin::kNoTrips);
  }
  return bins;
}

BinSet PsumBins(const Tensor& tensor) {
  // What one element more or less than a bank takes.
  constexpr std::int64_t kNear = 4;
  const std::int64_t bytes = BlockBytes(tensor).value;
  const std::int64_t bank = kAddressBankBytes.value;
  BinSet bins = Only(Bin::kPsum);
  if (!tensor.blocks.empty()) bins |= Only(Bin::kPsumBlocks);
  if (bytes > bank) bins |= Only(Bin::kManyBanks);
  if (bytes > kNear && (bytes + kNear) % bank <= 2 * kNear) bins |= Only(Bin::kBankSized);
  return bins;
}

BinSet InstructionBins(const Kernel& kernel, const Instruction& instruction) {
  constexpr std::int64_t kLong = 32;  // what the judges' bit masks take
  BinSet bins = 0;
  if (!instruction.when.empty()) bins |= Only(Bin::kPredicates);
  if (IsReadModifyWrite(instruction)) bins |= Only(Bin::kAccumulation);
  for (const Access& access : AccessesOf(instruction)) {
    if (access.operand == nullptr) continue;
    const Space space = kernel.tensors[access.tensor].space;
    const bool psum = space == Space::kPsum;
    for (const AffineExpr& index : access.operand->block) {
      if (index.modulus != 0) bins |= Only(psum ? Bin::kPsumRotating : Bin::kRotatingBlocks);
      if (index.modulus > kLong) bins |= Only(Bin::kLongTurns);
    }
    if (access.operand->free_offset.modulus > kLong) bins |= Only(Bin::kLongTurns);
    if (!access.is_write || space == Space::kDram) continue;
    if (psum && !instruction.when.empty()) bins |= Only(Bin::kPsumPredicates);
    if (!IsWhole(kernel, *access.operand))
      bins |= Only(psum ? Bin::kPsumParts : Bin::kPartialWrites);
  }
  return bins;
}

// Whether two tensors lie on the same byte, and whether two share byte offsets in disjoint bands.
BinSet SharingBins(const Allocation& allocation) {
  BinSet bins = 0;
  std::vector<Rectangle> places;
  for (std::size_t t = 0; t < allocation.kernel.tensors.size(); ++t) {
    const Tensor& tensor = allocation.kernel.tensors[TensorId(t)];
    const auto& addresses = allocation.placement.addresses[TensorId(t)];
    if (tensor.space != Space::kSbuf || addresses.empty()) continue;
    const Rectangle place = RectangleOf(tensor, addresses.front());
    for (const Rectangle& other : places) {
      if (!Overlap(place.bytes, other.bytes)) continue;
      bins |= Only(Overlap(place, other) ? Bin::kSharedBytes : Bin::kSharedBands);
    }
    places.push_back(place);
  }
  return bins;
}

}  // namespace

std::string_view BinName(Bin bin) {
  const BinRow& row = kRows[static_cast<std::size_t>(bin)];
  SPILLWAY_CHECK(row.bin == bin, "rows stand in the order of the bins");
  return row.name;
}

BinSet BinsOf(const Kernel& kernel) {
  BinSet bins = LoopBins(kernel);
  if (kernel.target == "inf1") bins |= Only(Bin::kInf1);
  for (const Tensor& tensor : kernel.tensors) {
    if (tensor.space == Space::kPsum) bins |= PsumBins(tensor);
    if (tensor.space != Space::kSbuf) continue;
    if (!tensor.blocks.empty()) bins |= Only(Bin::kBlocks);
    if (Partitions(tensor) <= PartitionCount(64)) bins |= Only(Bin::kNarrow);
    if (!tensor.at.empty()) bins |= Only(Bin::kFixed);
  }
  for (const Instruction& instruction : kernel.instructions) {
    bins |= InstructionBins(kernel, instruction);
  }
  return bins;
}

BinSet BinsOf(const Allocation& allocation) {
  BinSet bins = SharingBins(allocation);
  if (!allocation.sbuf.spilled.empty()) bins |= Only(Bin::kSpilled);
  if (allocation.sbuf.iterations > 2) bins |= Only(Bin::kRespilled);
  if (allocation.sbuf.saves > 0) bins |= Only(Bin::kSaves);
  if (allocation.sbuf.reloads_removed > 0) bins |= Only(Bin::kReloadsRemoved);
  if (allocation.sbuf.optimistic > 0) bins |= Only(Bin::kOptimistic);
  if (allocation.psum_spilled > 0) bins |= Only(Bin::kPsumSpilled);
  std::size_t depth = 0;
  for (const BodyItem& item : allocation.kernel.body) {
    if (item.kind == BodyKind::kLoopBegin) ++depth;
    if (item.kind == BodyKind::kLoopEnd) --depth;
    if (item.kind != BodyKind::kInstruction) continue;
    const Instruction& instruction = allocation.kernel.instructions[item.instruction()];
    if (!IsSpillDma(instruction)) continue;
    // As the code has it, whoever put it there.
    bins |= Only(Bin::kSpilled);
    if (instruction.spill == SpillRole::kSave) bins |= Only(Bin::kSaves);
    if (depth > 0) bins |= Only(Bin::kSpillsInLoops);
    if (!instruction.when.empty()) bins |= Only(Bin::kGuardedSpills);
  }
  return bins;
}

void Coverage::Add(BinSet bins) {
  ++cases;
  for (std::size_t b = 0; b < kBins; ++b) counts[b] += bins >> b & 1;
}

void Coverage::Add(const Coverage& other) {
  cases += other.cases;
  for (std::size_t b = 0; b < kBins; ++b) counts[b] += other.counts[b];
}

double Coverage::Percent(Bin bin) const {
  if (cases == 0) return 0;
  return 100.0 * static_cast<double>(counts[static_cast<std::size_t>(bin)]) /
         static_cast<double>(cases);
}

namespace {

/// Per cent by which a run of `cases` may miss a bound by chance: two standard errors there.
double Chance(int percent, std::int64_t cases) {
  return 2 * std::sqrt(percent * (100.0 - percent) / static_cast<double>(cases));
}

}  // namespace

std::vector<std::string> Coverage::Shortfalls(Floors floors) const {
  constexpr std::int64_t kEnough = 200;
  // What few cases have, a small run may miss by chance.
  constexpr std::int64_t kEnoughOfRare = 1000;
  constexpr int kRare = 1;
  std::vector<std::string> shortfalls;
  if (cases < kEnough) return shortfalls;
  for (const BinRow& row : kRows) {
    if (floors == Floors::kKernels && row.bin >= kFirstOfAllocation) continue;
    if (row.floor <= kRare && cases < kEnoughOfRare) continue;
    const double share = Percent(row.bin);
    if (share < row.floor - Chance(row.floor, cases)) {
      shortfalls.push_back(fmt::format("{:.1f} % of the cases have {}, at least {} % must", share,
                                       row.name, row.floor));
    }
    if (share > row.ceiling + Chance(row.ceiling, cases)) {
      shortfalls.push_back(fmt::format("{:.1f} % of the cases are {}, at most {} % may", share,
                                       row.name, row.ceiling));
    }
  }
  return shortfalls;
}

std::string Coverage::ToText() const {
  std::string text;
  for (const BinRow& row : kRows) {
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", row.name, Percent(row.bin));
  }
  return text;
}

}  // namespace spillway
