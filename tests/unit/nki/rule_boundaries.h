// Every rule of direct allocation at its boundaries on one target: what is just accepted, and the
// neighbour that is refused.
#pragma once

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/alloc/nki/allocation_rule.h"
#include "model/alloc/nki/evaluate_alloc_func.h"
#include "model/alloc/nki/verify_allocation.h"
#include "tests/unit/nki/allocation_cases.h"

namespace spillway::nki {

/// Two allocations that differ in one step over one rule.
struct Boundary {
  AllocationRule rule;
  std::string what;
  std::vector<Violation> accepted;  ///< nothing of `rule`
  std::vector<Violation> refused;   ///< `rule`, and others that the same step breaks
  bool others_object = false;       ///< to the accepted one, which no place can help
};

/// The rules of tensors; the whole kernel's are in kernel_boundaries.h.
class TensorBoundaries {
 public:
  explicit TensorBoundaries(const Target& target)
      : target_(target),
        all_(target.sbuf_partitions.value.value),
        psum_all_(target.psum_partitions.value.value),
        window_(target.sbuf_usable_bytes.value.value),
        bank_(target.psum_bank_bytes.value.value),
        banks_(UsablePsumBanks(target).value) {
    Calls();
    SbufTileRules();
    Alignments();
    PsumTileRules();
    LawArguments();
    LawTiles();
  }
  const std::vector<Boundary>& rows() const { return rows_; }

 private:
  using enum AllocationRule;

  void Row(AllocationRule rule, std::string what, const Tensor& tensor, const AllocFunc& legal,
           const AllocFunc& illegal, bool others_object = false) {
    rows_.push_back({rule, std::move(what), VerifyAllocation(tensor, legal, target_),
                     VerifyAllocation(tensor, illegal, target_), others_object});
  }
  void Sizes(AllocationRule rule, std::string what, const Tensor& legal, const Tensor& illegal,
             const AllocFunc& func, bool others_object = false) {
    rows_.push_back({rule, std::move(what), VerifyAllocation(legal, func, target_),
                     VerifyAllocation(illegal, func, target_), others_object});
  }
  static AllocFunc Sbuf(ModuloLaw law) { return SbufModuloAllocFunc{std::move(law)}; }
  static AllocFunc Psum(ModuloLaw law) { return PsumModuloAllocFunc{std::move(law)}; }

  void Calls() {
    const AllocFunc throws =
        SbufAllocFunc{[](std::span<const std::int64_t>, PartitionCount,
                         Bytes) -> std::vector<std::int64_t> { throw std::runtime_error("no"); }};
    const Tensor tile = SbufTiles(128, 64);
    Row(kMemory, "PSUM function", tile, SbufAt(0, 0), PsumAt(0, 0, 0));
    Row(kMemory, "SBUF function", PsumTiles(64, 64), PsumAt(0, 0, 0), SbufAt(0, 0));
    Row(kMemory, "automatic", tile, AutoAlloc{Space::kSbuf}, AutoAlloc{Space::kPsum});
    Row(kMemory, "law", tile, Sbuf({}), Psum({}));
    Row(kFunction, "throws", tile, SbufAt(0, 0), throws);
    Row(kFunction, "isn't there", tile, SbufAt(0, 0), SbufAllocFunc{});
    Row(kFunction, "isn't there for PSUM", PsumTiles(64, 64), PsumAt(0, 0, 0), PsumAllocFunc{});
    Sizes(kTensorShape, "an empty free dimension", SbufTiles(128, 1), SbufTiles(128, 0),
          SbufAt(0, 0));
    Sizes(kTensorShape, "an empty free dimension in PSUM", PsumTiles(64, 1), PsumTiles(64, 0),
          PsumAt(0, 0, 0));
    Tensor shape = SbufTiles(128, 1);
    shape.shape = {};
    Sizes(kTensorShape, "no dimension", SbufTiles(128, 1), shape, SbufAt(0, 0));
    shape.shape = {128, std::int64_t{1} << 40, std::int64_t{1} << 40};
    Sizes(kTensorShape, "more bytes than 64 bits count", SbufTiles(128, 1), shape, SbufAt(0, 0));
    Sizes(kTensorShape, "as many bytes as a file may have", SbufTiles(128, std::int64_t{1} << 40),
          SbufTiles(128, (std::int64_t{1} << 40) + 1), SbufAt(0, 0), true);
    Sizes(kBlockCount, "no block", SbufTiles(128, 64, {4, 1}), SbufTiles(128, 64, {4, 0}),
          SbufAt(0, 0));
    Sizes(kBlockCount, "as many blocks as are evaluated", SbufTiles(128, 64, {kMostBlocks}),
          SbufTiles(128, 64, {kMostBlocks + 1}), SbufAt(0, 0));
    Sizes(kBlockCount, "more blocks than 64 bits count", SbufTiles(128, 64, {2}),
          SbufTiles(128, 64, {std::int64_t{1} << 40, std::int64_t{1} << 40}), SbufAt(0, 0));
  }

  void SbufTileRules() {
    Sizes(kPartitionCount, "one partition more", SbufTiles(all_, 64), SbufTiles(all_ + 1, 64),
          SbufAt(0, 0));
    Sizes(kPartitionCount, "no partition", SbufTiles(1, 64), SbufTiles(0, 64), SbufAt(0, 0));
    Row(kPartitionEnd, "last quadrant", SbufTiles(32, 64), SbufAt(all_ - 32, 0),
        SbufAt(all_ - 31, 0));
    Row(kPartitionEnd, "end of a tile that starts inside", SbufTiles(64, 64), SbufAt(all_ - 64, 0),
        SbufAt(all_ - 32, 0));
    Row(kPartitionEnd, "negative", SbufTiles(32, 64), SbufAt(0, 0), SbufAt(-1, 0));
    Row(kSbufTuple, "of three", SbufTiles(128, 64), SbufAt(0, 0), SbufAllocFunc{Always({0, 0, 0})});
    Row(kSbufTuple, "of one", SbufTiles(128, 64), SbufAt(0, 0), SbufAllocFunc{Always({0})});
    Row(kSbufTuple, "of none", SbufTiles(128, 64), SbufAt(0, 0), SbufAllocFunc{Always({})});
    Sizes(kSbufStartPartition, "32 partitions at 32, 33 not", SbufTiles(32, 64), SbufTiles(33, 64),
          SbufAt(32, 0));
    Sizes(kSbufStartPartition, "32 partitions at 96, 33 not", SbufTiles(32, 64), SbufTiles(33, 64),
          SbufAt(96, 0));
    Sizes(kSbufStartPartition, "64 partitions at 64, 65 not", SbufTiles(64, 64), SbufTiles(65, 64),
          SbufAt(64, 0));
    Row(kSbufStartPartition, "above a quadrant", SbufTiles(32, 64), SbufAt(64, 0), SbufAt(65, 0));
    Row(kSbufStartPartition, "below a quadrant", SbufTiles(32, 64), SbufAt(64, 0), SbufAt(63, 0));
    Row(kSbufWindow, "start at the end", SbufTiles(128, 1), SbufAt(0, window_ - 1),
        SbufAt(0, window_));
    Row(kSbufWindow, "negative", SbufTiles(128, 1), SbufAt(0, 0), SbufAt(0, -1));
    Row(kSbufWindow, "largest number", SbufTiles(128, 64), SbufAt(0, 0),
        SbufAt(0, std::numeric_limits<std::int64_t>::max()));
    Row(kSbufTileEnd, "end one byte past", SbufTiles(128, 64), SbufAt(0, window_ - 64),
        SbufAt(0, window_ - 63));
    Sizes(kSbufTileEnd, "a tile of the whole partition", SbufTiles(128, window_),
          SbufTiles(128, window_ + 1), SbufAt(0, 0));
  }

  // The rows of the targets are 1, which every byte satisfies.
  void Alignments() {
    const std::int64_t own = target_.sbuf_min_align.value.value;
    for (const std::int64_t align : {4, 32}) {
      target_.sbuf_min_align.value = Bytes(align);
      const std::string what = std::to_string(align);
      Row(kSbufAlignment, "above a multiple of " + what, SbufTiles(128, 4), SbufAt(0, 2 * align),
          SbufAt(0, 2 * align + 1));
      Row(kSbufAlignment, "below a multiple of " + what, SbufTiles(128, 4), SbufAt(0, 2 * align),
          SbufAt(0, 2 * align - 1));
      Row(kSbufAlignment, "tiles of a law by " + what, SbufTiles(128, align, {2}),
          Sbuf({.base_addr = ByteOffset(align), .num_free_tiles = {2}}),
          Sbuf({.base_addr = ByteOffset(align + 1), .num_free_tiles = {2}}));
      Sizes(kSbufAlignment, "tiles of a law of another size by " + what, SbufTiles(128, align, {2}),
            SbufTiles(128, align + 1, {2}), Sbuf({.num_free_tiles = {2}}));
    }
    target_.sbuf_min_align.value = Bytes(own);
  }

  void PsumTileRules() {
    Sizes(kPartitionCount, "one PSUM partition more", PsumTiles(psum_all_, 64),
          PsumTiles(psum_all_ + 1, 64), PsumAt(0, 0, 0));
    Sizes(kPartitionCount, "no PSUM partition", PsumTiles(1, 64), PsumTiles(0, 64),
          PsumAt(0, 0, 0));
    Row(kPartitionEnd, "PSUM", PsumTiles(psum_all_, 64), PsumAt(0, 0, 0), PsumAt(0, 1, 0));
    Row(kPsumTuple, "of two", PsumTiles(64, 64), PsumAt(0, 0, 0), PsumAllocFunc{Always({0, 0})});
    Row(kPsumTuple, "of four", PsumTiles(64, 64), PsumAt(0, 0, 0),
        PsumAllocFunc{Always({0, 0, 0, 0})});
    Sizes(kPsumTileSize, "one byte past a bank", PsumTiles(64, bank_), PsumTiles(64, bank_ + 1),
          PsumAt(0, 0, 0));
    Row(kPsumBank, "the last and the next", PsumTiles(64, 64), PsumAt(banks_ - 1, 0, 0),
        PsumAt(banks_, 0, 0));
    Row(kPsumBank, "negative", PsumTiles(64, 64), PsumAt(0, 0, 0), PsumAt(-1, 0, 0));
    Row(kPsumStartPartition, "the next one", PsumTiles(32, 64), PsumAt(0, 0, 0), PsumAt(0, 1, 0));
    Row(kPsumStartPartition, "a quadrant", PsumTiles(32, 64), PsumAt(0, 0, 0), PsumAt(0, 32, 0));
    Row(kPsumByteAddr, "the next byte", PsumTiles(32, 64), PsumAt(0, 0, 0), PsumAt(0, 0, 1));
    Row(kPsumByteAddr, "negative", PsumTiles(32, 64), PsumAt(0, 0, 0), PsumAt(0, 0, -1));
  }

  void LawArguments() {
    const Tensor sbuf = SbufTiles(32, 64, {4, 2});
    const Tensor psum = PsumTiles(32, 64, {4, 2});
    Row(kTileCounts, "one count too few", sbuf, Sbuf({.num_free_tiles = {2, 1}}),
        Sbuf({.num_free_tiles = {2}}));
    Row(kTileCounts, "one count too many", sbuf, Sbuf({.num_free_tiles = {2, 1}}),
        Sbuf({.num_free_tiles = {2, 1, 1}}));
    Row(kTileCounts, "a count of 0", sbuf, Sbuf({.num_par_tiles = {1, 1}}),
        Sbuf({.num_par_tiles = {1, 0}}));
    Row(kTileCounts, "a count of banks of 0", psum, Psum({.num_bank_tiles = {1, 1}}),
        Psum({.num_bank_tiles = {0, 1}}));
    Row(kTileCounts, "counts of a tensor without blocks", SbufTiles(32, 64), Sbuf({}),
        Sbuf({.num_free_tiles = {1}}));
    Row(kBasePartition, "SBUF", sbuf, Sbuf({}), Sbuf({.base_partition = Partition(1)}));
    Row(kBasePartition, "SBUF, a quadrant", sbuf, Sbuf({}),
        Sbuf({.base_partition = Partition(32)}));
    Row(kBasePartition, "PSUM", psum, Psum({}), Psum({.base_partition = Partition(1)}));
    Row(kBasePartition, "below 0", psum, Psum({}), Psum({.base_partition = Partition(-1)}));
    Row(kBaseAddr, "PSUM", psum, Psum({}), Psum({.base_addr = ByteOffset(1)}));
    Row(kBaseAddr, "SBUF below 0", sbuf, Sbuf({}), Sbuf({.base_addr = ByteOffset(-1)}));
    Row(kBaseBank, "below 0", psum, Psum({}), Psum({.base_bank = BankId(-1)}));
    Row(kBaseBank, "SBUF", sbuf, Sbuf({}), Sbuf({.base_bank = BankId(1)}));
    Row(kBaseBank, "SBUF bank counts", sbuf, Sbuf({}), Sbuf({.num_bank_tiles = {1, 1}}));
    Row(kPsumParTiles, "2", psum, Psum({.num_par_tiles = {1, 1}}), Psum({.num_par_tiles = {1, 2}}));
    Row(kPsumFreeTiles, "2", psum, Psum({.num_free_tiles = {1, 1}}),
        Psum({.num_free_tiles = {2, 1}}));
    // Steps of 63 partitions start nowhere, which is another rule's to say.
    Sizes(kParTilesHeight, "half of the partitions may not step", SbufTiles(all_ / 2 - 1, 64, {2}),
          SbufTiles(all_ / 2, 64, {2}), Sbuf({.num_par_tiles = {2}}), true);
    Row(kParTilesHeight, "64 partitions", SbufTiles(64, 64, {2}), Sbuf({.num_par_tiles = {1}}),
        Sbuf({.num_par_tiles = {2}}));
  }

  void LawTiles() {
    const Tensor sbuf = SbufTiles(32, 64, {4, 2});
    const Tensor psum = PsumTiles(32, 64, {4, 2});
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    const std::int64_t most_bank = kMost / kAddressBankBytes.value;
    Row(kPsumBank, "of the law", psum, Psum({.num_bank_tiles = {banks_ / 2, 2}}),
        Psum({.base_bank = BankId(1), .num_bank_tiles = {banks_ / 2, 2}}));
    Sizes(kSbufStartPartition, "steps of 32 land on quadrants, of 31 don't", SbufTiles(32, 64, {4}),
          SbufTiles(31, 64, {4}), Sbuf({.num_par_tiles = {4}}));
    Row(kPartitionEnd, "one step too many", SbufTiles(32, 64, {8}), Sbuf({.num_par_tiles = {4}}),
        Sbuf({.num_par_tiles = {5}}));
    Row(kSbufTileEnd, "last of the tiles", SbufTiles(128, window_ / 4, {4}),
        Sbuf({.base_addr = ByteOffset(window_ % 4), .num_free_tiles = {4}}),
        Sbuf({.base_addr = ByteOffset(window_ % 4 + 1), .num_free_tiles = {4}}));
    Row(kModuloRange, "base", sbuf, Sbuf({.base_addr = ByteOffset(kMost - 1024)}),
        Sbuf({.base_addr = ByteOffset(kMost + 1)}), true);
    Row(kModuloRange, "largest base", sbuf, Sbuf({}),
        Sbuf({.base_addr = ByteOffset(std::numeric_limits<std::int64_t>::max())}));
    Row(kModuloRange, "bank", psum, Psum({.base_bank = BankId(most_bank)}),
        Psum({.base_bank = BankId(most_bank + 1)}), true);
    Row(kModuloRange, "largest bank", psum, Psum({}),
        Psum({.base_bank = BankId(std::numeric_limits<std::int64_t>::max())}));
    Row(kModuloRange, "last of the tiles", SbufTiles(32, kMost / 2, {8}),
        Sbuf({.num_free_tiles = {3}}), Sbuf({.num_free_tiles = {4}}), true);
  }

  Target target_;
  std::vector<Boundary> rows_;
  std::int64_t all_;
  std::int64_t psum_all_;
  std::int64_t window_;
  std::int64_t bank_;
  std::int64_t banks_;
};

}  // namespace spillway::nki
