// Which places certainly hold the current value of which bytes of the program's tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "model/alloc/check/plane_set.h"

namespace spillway::check {

/// A memory with addresses of its own: SBUF, PSUM, DRAM, or one DRAM tensor of the caller's.
using StoreId = std::uint32_t;
inline constexpr StoreId kSbufStore = 0;
inline constexpr StoreId kPsumStore = 1;
inline constexpr StoreId kDramStore = 2;
inline constexpr StoreId kFirstTensorStore = 3;

/// Where the bytes of a tensor's block lie, as one rule for all of them: byte b of partition p lies
/// in partition `partition` + p at `byte` + b of an on-chip memory, and at `byte` + p * `stride` +
/// b of a linear one.
struct Location {
  StoreId store = kSbufStore;
  bool linear = false;
  std::int64_t partition = 0;
  std::int64_t byte = 0;
  std::int64_t stride = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

/// Bytes of one memory; of a linear one: partitions [0, 1).
struct StoreRegion {
  StoreId store = kSbufStore;
  bool linear = false;
  Interval<Partition> partitions;
  Runs runs;
};

/// The index of a block of one of the program's tensors, over all of them.
using ValueId = std::uint32_t;

/// Bytes of a block, in the block's own partitions and bytes, that lie at a place.
struct Holding {
  Location at;
  PlaneSet bytes;
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// For every block of every tensor of the program, the places that hold its current value, to the
/// byte. The lattice of the data-flow judge: a place is listed only where it is certain. A byte
/// that the program has not defined yet is held everywhere, whatever lies there. Source: derived:
/// the register allocation checker of regalloc2, over bytes.
class HeldValues {
 public:
  /// `wholes`: all bytes of each block.
  explicit HeldValues(const std::vector<PlaneSet>& wholes);

  /// The bytes of `wanted` that are defined and that `at` doesn't certainly hold.
  PlaneSet MissingAt(ValueId value, const PlaneSet& wanted, const Location& at) const;
  const std::vector<Holding>& HoldingsOf(ValueId value) const { return values_[value].held; }
  /// Where earlier values of the block still lie that have been overwritten by the program.
  const std::vector<Holding>& StaleOf(ValueId value) const { return values_[value].stale; }
  std::size_t size() const { return values_.size(); }

  /// The program writes `bytes`, and they lie at `at` alone: every other copy is stale.
  void Define(ValueId value, const PlaneSet& bytes, const Location& at);
  /// The same where only some of `bytes` may be written, nobody knows which.
  void MayDefine(ValueId value, const PlaneSet& bytes, const Location& at);
  /// The program writes `bytes`, and so far they lie nowhere.
  void DefineNowhere(ValueId value, const PlaneSet& bytes);
  /// `at` receives the current value of `bytes`.
  void Hold(ValueId value, const PlaneSet& bytes, const Location& at);
  /// `at` no longer holds the current value of `bytes`.
  void Drop(ValueId value, const PlaneSet& bytes, const Location& at);
  /// Something is written over `region`: nothing else lies there any more. What lies there as
  /// `value` at `at` is left to the caller.
  void Overwrite(const StoreRegion& region, ValueId value, const Location& at);

  /// Calls `visit(value, holding)` for each holding that may share bytes with `region`.
  template <class Visit>
  void ForEachIn(const StoreRegion& region, Visit visit) const;

  /// What holds on both of two paths.
  void MeetWith(const HeldValues& other);
  friend bool operator==(const HeldValues& a, const HeldValues& b);

 private:
  struct Value {
    PlaneSet undefined;
    std::vector<Holding> held;
    std::vector<Holding> stale;
    std::uint8_t listed = 0;  ///< bit l: stands in active_[l]
  };
  static std::size_t ListOf(StoreId store) { return store < kFirstTensorStore ? store : 3; }
  Holding& HoldingAt(ValueId value, const Location& at);

  std::vector<Value> values_;
  /// Values that may have a holding in a store, by kind of store.
  std::vector<ValueId> active_[4];
};

/// The bytes of a block at `at` that lie in `region`; exact.
PlaneSet BytesIn(const StoreRegion& region, const Location& at, const PlaneSet& bytes);
/// Whether they may share a byte; cheap.
bool MayShare(const StoreRegion& region, const Location& at, const PlaneSet& bytes);

template <class Visit>
void HeldValues::ForEachIn(const StoreRegion& region, Visit visit) const {
  for (const ValueId value : active_[ListOf(region.store)]) {
    for (const Holding& holding : values_[value].held) {
      if (holding.at.store == region.store && MayShare(region, holding.at, holding.bytes))
        visit(value, holding);
    }
  }
}

}  // namespace spillway::check
