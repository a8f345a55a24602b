#include "model/alloc/nki/check_modulo_law.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/alloc/nki/allocation_rule.h"
#include "model/hw/fault.h"

namespace spillway::nki {
namespace {

using Counts = std::vector<std::int64_t>;

// Beyond it nothing is an address; EvaluateModuloLaw refuses what its tiles add to a base.
constexpr std::int64_t kMostBase = std::int64_t{1} << 40;

bool AllOnes(const Counts& counts) {
  return std::all_of(counts.begin(), counts.end(), [](std::int64_t n) { return n == 1; });
}

class LawCheck {
 public:
  LawCheck(const Tensor& tensor, const ModuloLaw& law, const Target& target)
      : tensor_(tensor), law_(law), target_(target) {}

  LawVerdict Run() {
    const bool counts_make_sense = CheckCounts();
    const bool bases_make_sense = CheckBases();
    if (tensor_.space == Space::kPsum) CheckPsum();
    if (tensor_.space == Space::kSbuf) CheckSbuf();
    if (counts_make_sense && bases_make_sense) {
      verdict_.evaluable =
          tensor_.space == Space::kPsum
              ? ModuloLaw{.base_bank = law_.base_bank, .num_bank_tiles = law_.num_bank_tiles}
              : ModuloLaw{.base_addr = law_.base_addr,
                          .base_partition = law_.base_partition,
                          .num_par_tiles = law_.num_par_tiles,
                          .num_free_tiles = law_.num_free_tiles};
    }
    return std::move(verdict_);
  }

 private:
  void Broken(AllocationRule rule, std::string_view what) {
    verdict_.violations.push_back(BrokenRule(rule, tensor_, what));
  }

  bool CheckCounts() {
    bool good = true;
    for (const auto& [name, counts] : {std::pair{"num_bank_tiles", &law_.num_bank_tiles},
                                       {"num_par_tiles", &law_.num_par_tiles},
                                       {"num_free_tiles", &law_.num_free_tiles}}) {
      const std::size_t dimensions = tensor_.blocks.size();
      const bool fits = counts->empty() || counts->size() == dimensions;
      if (!fits) {
        Broken(AllocationRule::kTileCounts,
               fmt::format("{} {} has {} count(s), expected none or {}, one a block dimension of "
                           "{}",
                           name, TupleText(*counts), counts->size(), dimensions,
                           TupleText(tensor_.blocks)));
      }
      const bool positive =
          std::all_of(counts->begin(), counts->end(), [](std::int64_t n) { return n >= 1; });
      if (!positive) {
        Broken(AllocationRule::kTileCounts,
               fmt::format("{} {} has a count below 1", name, TupleText(*counts)));
      }
      good = good && fits && positive;
    }
    return good;
  }

  bool CheckBases() {
    if (law_.base_bank < BankId(0) ||
        (tensor_.space == Space::kSbuf && law_.base_bank != BankId(0))) {
      Broken(AllocationRule::kBaseBank,
             fmt::format("base_bank is {}, expected {}", law_.base_bank.value,
                         tensor_.space == Space::kSbuf ? "none in SBUF" : "0 or more"));
    }
    if (SPILLWAY_FAULT(N36, law_.base_partition != Partition(0), false)) {
      Broken(AllocationRule::kBasePartition,
             fmt::format("base_partition is {}, must be 0", law_.base_partition.value));
    }
    const bool is_psum = tensor_.space == Space::kPsum;
    if (is_psum ? law_.base_addr != ByteOffset(0) : law_.base_addr < ByteOffset(0)) {
      Broken(AllocationRule::kBaseAddr,
             fmt::format("base_addr is {}, must be 0{}", law_.base_addr.value,
                         is_psum ? " in PSUM" : " or more"));
    }
    const auto is_base = [](std::int64_t base) { return base >= 0 && base <= kMostBase; };
    const auto too_large = [&](std::string_view name, std::int64_t base) {
      if (base > kMostBase) {
        Broken(AllocationRule::kModuloRange,
               fmt::format("{} is {}, beyond {}", name, base, kMostBase));
      }
    };
    if (!is_psum) too_large("base_addr", law_.base_addr.value);
    // Counted in banks; a bank's bytes are far fewer than what 64 bits have left.
    if (is_psum) too_large("base_bank", law_.base_bank.value);
    return is_psum ? is_base(law_.base_bank.value)
                   : is_base(law_.base_addr.value) && is_base(law_.base_partition.value);
  }

  void CheckPsum() {
    if (!AllOnes(law_.num_par_tiles)) {
      Broken(AllocationRule::kPsumParTiles,
             fmt::format("num_par_tiles in PSUM must be () or all 1, found {}",
                         TupleText(law_.num_par_tiles)));
    }
    if (SPILLWAY_FAULT(N37, !AllOnes(law_.num_free_tiles), false)) {
      Broken(AllocationRule::kPsumFreeTiles,
             fmt::format("num_free_tiles in PSUM must be () or all 1, found {}",
                         TupleText(law_.num_free_tiles)));
    }
  }

  void CheckSbuf() {
    if (!law_.num_bank_tiles.empty()) {
      Broken(AllocationRule::kBaseBank, fmt::format("num_bank_tiles is {}, but SBUF has no banks",
                                                    TupleText(law_.num_bank_tiles)));
    }
    // Half of the partitions: a tile of as many would have two places, and yet may not step.
    const PartitionCount half(target_.sbuf_partitions.value.value / 2);
    const PartitionCount height = Partitions(tensor_);
    const bool steps = !AllOnes(law_.num_par_tiles);
    if (steps && SPILLWAY_FAULT(N32, height >= half, height > half)) {
      Broken(AllocationRule::kParTilesHeight,
             fmt::format("num_par_tiles is {}, which is for tiles of fewer than {} partitions; "
                         "these have {}",
                         TupleText(law_.num_par_tiles), half.value, height.value));
    }
  }

  const Tensor& tensor_;
  const ModuloLaw& law_;
  const Target& target_;
  LawVerdict verdict_;
};

}  // namespace

LawVerdict CheckModuloLaw(const Tensor& tensor, const ModuloLaw& law, const Target& target) {
  return LawCheck(tensor, law, target).Run();
}

}  // namespace spillway::nki
