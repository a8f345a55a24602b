// What a modular allocator must do, said by turns: a logical tile's turn is its index modulo the
// counts, one number a dimension; turns lie one behind the other in the order of a dictionary, and
// each byte of the window belongs to the logical tile that was requested there last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/unit/nki/plain_rules.h"

namespace spillway::nki {

/// A tensor's tiles as a kernel asks for them; elements of one byte.
struct ModularSet {
  plain::Numbers blocks;
  plain::Numbers counts;  ///< as many, or none for ones
  std::int64_t bytes = 1;
  std::int64_t align = 0;  ///< 0: the default, 1
};

/// A logical tile: its tensor's number and its index.
struct LogicalTile {
  std::size_t set = 0;
  plain::Numbers index;
  friend bool operator==(const LogicalTile&, const LogicalTile&) = default;
};

class ModularModel {
 public:
  struct Answer {
    std::string code;  ///< of the refusal; "" where there is none
    std::int64_t start = 0;
    std::int64_t end = 0;
  };

  ModularModel(std::int64_t lower, std::int64_t upper) : cursor_(lower), upper_(upper) {}

  Answer Make(const ModularSet& set) {
    std::int64_t start = cursor_;
    while (start % std::max<std::int64_t>(1, set.align) != 0) ++start;
    std::vector<plain::Numbers> turns = plain::Blocks(CountsOf(set));
    if (turns.size() > 1 && set.align > 0 && set.bytes % set.align != 0)
      return {"modular-alignment", 0, 0};
    std::int64_t end = start;
    for (std::size_t turn = 0; turn < turns.size(); ++turn) end += set.bytes;
    if (end > upper_) return {"modular-out-of-memory", 0, 0};
    cursor_ = end;
    sets_.push_back({set, start, std::move(turns), {}});
    return {"", start, end};
  }

  std::int64_t BeginOf(const LogicalTile& tile) const {
    const Tensor& tensor = sets_[tile.set];
    const plain::Numbers turn = TurnOf(tile);
    std::int64_t begin = tensor.start;
    for (const plain::Numbers& other : tensor.turns) begin += other < turn ? tensor.set.bytes : 0;
    return begin;
  }

  /// The tile is filled; gives the tiles that lose their bytes to it.
  std::vector<LogicalTile> Request(const LogicalTile& tile) {
    const std::int64_t begin = BeginOf(tile);
    std::vector<LogicalTile> evicted;
    for (const LogicalTile& live : Live()) {
      const bool touched = std::any_of(owners_.begin(), owners_.end(), [&](const auto& owner) {
        return owner.second == live && owner.first >= begin &&
               owner.first < begin + SetAt(tile.set).bytes;
      });
      if (touched && live != tile) evicted.push_back(live);
    }
    for (const LogicalTile& old : evicted) Free(old);
    for (std::int64_t b = 0; b < SetAt(tile.set).bytes; ++b) owners_[begin + b] = tile;
    sets_[tile.set].last = tile.index;
    return evicted;
  }

  /// Its last reader is done.
  void Free(const LogicalTile& tile) {
    std::erase_if(owners_, [&](const auto& owner) { return owner.second == tile; });
  }

  bool HaveOneTurn(const LogicalTile& a, const LogicalTile& b) const {
    return a.set == b.set && TurnOf(a) == TurnOf(b);
  }

  /// The tile after the one that was requested last, row-major; the first after the last of all.
  LogicalTile NextOf(std::size_t set) const {
    const std::vector<plain::Numbers> all = plain::Blocks(SetAt(set).blocks);
    const auto last = std::find(all.begin(), all.end(), sets_[set].last);
    return {set, last == all.end() || last + 1 == all.end() ? all.front() : *(last + 1)};
  }

  /// Tiles that hold their bytes, by their first one.
  std::vector<LogicalTile> Live() const {
    std::vector<LogicalTile> tiles;
    for (const auto& [byte, owner] : owners_) {
      if (tiles.empty() || tiles.back() != owner) tiles.push_back(owner);
    }
    return tiles;
  }

  const ModularSet& SetAt(std::size_t set) const { return sets_[set].set; }
  std::size_t sets() const { return sets_.size(); }
  std::int64_t cursor() const { return cursor_; }

 private:
  struct Tensor {
    ModularSet set;
    std::int64_t start = 0;
    std::vector<plain::Numbers> turns;
    plain::Numbers last;  // requested; of no length at first, or of a tensor without blocks
  };

  static plain::Numbers CountsOf(const ModularSet& set) {
    return set.counts.empty() ? plain::Numbers(set.blocks.size(), 1) : set.counts;
  }
  plain::Numbers TurnOf(const LogicalTile& tile) const {
    const plain::Numbers counts = CountsOf(SetAt(tile.set));
    plain::Numbers turn;
    for (std::size_t d = 0; d < counts.size(); ++d) turn.push_back(tile.index[d] % counts[d]);
    return turn;
  }

  std::int64_t cursor_;
  std::int64_t upper_;
  std::vector<Tensor> sets_;
  std::map<std::int64_t, LogicalTile> owners_;  // by byte
};

}  // namespace spillway::nki
