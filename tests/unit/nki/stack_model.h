// What a stack manager must do, said the slow way: sections start behind all tiles of their scope,
// and share bytes with their neighbours, found by looking at every tile there ever was.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace spillway::nki {

enum class StackOp { kOpen, kClose, kIncrement, kStack, kHeap, kPop, kAlign, kSkip };

struct StackStep {
  StackOp op = StackOp::kOpen;
  std::int64_t bytes = 1;  ///< of a tile; of kSkip: how far up, below 0 for down
  std::int64_t align = 0;  ///< 0: the default; tiles are of one-byte elements
  std::int64_t degree = 1;
  int half = 0;  ///< partitions of a tile: 0 for all, 1 for the lower half, 2 for the upper one
};

inline void showValue(const StackStep& step, std::ostream& out) {
  static constexpr const char* kNames[] = {"open", "close", "increment", "stack",
                                           "heap", "pop",   "align",     "skip"};
  out << kNames[static_cast<int>(step.op)] << " bytes " << step.bytes << " align " << step.align
      << " degree " << step.degree << " half " << step.half;
}

class StackModel {
 public:
  struct Answer {
    std::string code;          ///< of the refusal; "" where there is none
    std::int64_t address = 0;  ///< of the tile that was allocated, or popped
  };
  struct HeapTile {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t top = 0;  ///< the heap's end before it
    int tile = 0;          ///< number of the tile
  };
  using Texts = std::multiset<std::string>;

  StackModel(std::int64_t lower, std::int64_t upper) : lower_(lower), cursor_(lower), top_(upper) {}

  Answer Do(const StackStep& step) {
    switch (step.op) {
      case StackOp::kOpen: return Open(step);
      case StackOp::kClose: return Close();
      case StackOp::kIncrement: return Increment();
      case StackOp::kStack: return Stack(step);
      case StackOp::kHeap: return Heap(step);
      case StackOp::kPop: return Pop();
      case StackOp::kAlign: return Skip(RoundedUp(cursor_, step.align));
      case StackOp::kSkip: return Skip(cursor_ + step.bytes);
    }
    return {};
  }

  std::int64_t cursor() const { return cursor_; }
  std::int64_t top() const { return top_; }
  std::size_t depth() const { return open_.size(); }
  /// Of the innermost scope; 0 without one.
  std::int64_t degree() const { return open_.empty() ? 0 : open_.back().degree; }
  const std::vector<HeapTile>& heap() const { return heap_; }
  bool wrapped() const { return wrapped_; }
  bool jumped() const { return jumped_; }
  /// "2 over 1 in 100-200": iterations of one scope that share bytes.
  const Texts& sections() const { return sections_; }
  /// "t7 of 2 over t3 of 1 in 100-200": tiles, of which one is of the heap, and their iterations.
  const Texts& heaps() const { return heaps_; }

 private:
  struct Scope {
    int id = 0;
    std::int64_t degree = 1;
    std::int64_t begin = 0;
    std::int64_t section = 0;
    int round = 0;  ///< how often it came back to section 0
    std::int64_t visit = 0;
  };
  struct Place {
    int round = 0;
    std::int64_t visit = 0;
  };
  using Places = std::map<int, Place>;  // by scope
  struct Tile {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    int half = 0;
    bool is_heap = false;
    Places made;
    Places popped;
  };

  static std::int64_t RoundedUp(std::int64_t value, std::int64_t align) {
    while (value % std::max<std::int64_t>(1, align) != 0) ++value;
    return value;
  }

  static bool Meet(const Tile& a, const Tile& b) {
    const bool rows = a.half == 0 || b.half == 0 || a.half == b.half;
    return rows && std::max(a.begin, b.begin) < std::min(a.end, b.end);
  }

  static std::string Range(std::int64_t begin, std::int64_t end) {
    return std::to_string(begin) + "-" + std::to_string(end);
  }

  Places Here() const {
    Places places;
    for (const Scope& scope : open_) places[scope.id] = {scope.round, scope.visit};
    return places;
  }

  // End of the last byte that any stack tile of the scope's current round takes, sub-scopes
  // included.
  std::int64_t EndOf(const Scope& scope) const {
    std::int64_t end = scope.begin;
    for (const std::vector<Tile>* tiles : {&tiles_, &marks_}) {
      for (const Tile& tile : *tiles) {
        const auto place = tile.made.find(scope.id);
        if (tile.is_heap || place == tile.made.end()) continue;
        if (place->second.round == scope.round) end = std::max(end, tile.end);
      }
    }
    return end;
  }

  // The section of `scope` that is over shares bytes with those before it.
  void JudgeSection(const Scope& scope) {
    for (std::int64_t earlier = scope.visit - 1;
         earlier >= 0 && scope.visit - earlier < scope.degree; --earlier) {
      std::int64_t begin = -1;
      std::int64_t end = -1;
      for (const Tile& a : tiles_) {
        for (const Tile& b : tiles_) {
          if (a.is_heap || b.is_heap || !Meet(a, b)) continue;
          const auto at_a = a.made.find(scope.id);
          const auto at_b = b.made.find(scope.id);
          if (at_a == a.made.end() || at_b == b.made.end()) continue;
          if (at_a->second.visit != earlier || at_b->second.visit != scope.visit) continue;
          begin =
              begin < 0 ? std::max(a.begin, b.begin) : std::min(begin, std::max(a.begin, b.begin));
          end = std::max(end, std::min(a.end, b.end));
        }
      }
      if (begin < 0) continue;
      sections_.insert(std::to_string(scope.visit) + " over " + std::to_string(earlier) + " in " +
                       Range(begin, end));
    }
  }

  int Add(const Tile& later) {
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
      const Tile& earlier = tiles_[t];
      if (!Meet(earlier, later) || !(earlier.is_heap || later.is_heap)) continue;
      const Places& places = earlier.is_heap ? earlier.popped : earlier.made;
      for (const Scope& scope : open_) {
        const auto place = places.find(scope.id);
        if (place == places.end()) continue;
        const std::int64_t apart = scope.visit - place->second.visit;
        if (apart == 0 || apart >= scope.degree) continue;
        heaps_.insert(
            "t" + std::to_string(tiles_.size()) + " of " + std::to_string(scope.visit) + " over t" +
            std::to_string(t) + " of " + std::to_string(place->second.visit) + " in " +
            Range(std::max(earlier.begin, later.begin), std::min(earlier.end, later.end)));
      }
    }
    tiles_.push_back(later);
    return static_cast<int>(tiles_.size()) - 1;
  }

  // What skipped the cursor up before a sub-scope is kept for good once that scope has begun.
  Answer Open(const StackStep& step) {
    marks_.push_back({cursor_, cursor_, 0, false, Here(), {}});
    open_.push_back({next_id_++, step.degree, cursor_, 0, 0, 0});
    return {};
  }

  Answer Close() {
    if (open_.empty()) return {"close-without-scope", 0};
    JudgeSection(open_.back());
    cursor_ = open_.back().begin;
    open_.pop_back();
    return {};
  }

  Answer Increment() {
    if (open_.empty()) return {"increment-without-scope", 0};
    Scope& scope = open_.back();
    const bool wraps = scope.section + 1 == scope.degree;
    const std::int64_t start = wraps ? scope.begin : EndOf(scope);
    if (start > top_) return {"section-out-of-memory", 0};
    JudgeSection(scope);
    scope.section = wraps ? 0 : scope.section + 1;
    scope.round += wraps ? 1 : 0;
    ++scope.visit;
    wrapped_ = wrapped_ || wraps;
    jumped_ = jumped_ || start > cursor_;
    cursor_ = start;
    return {};
  }

  Answer Stack(const StackStep& step) {
    if (open_.empty()) return {"stack-without-scope", 0};
    const std::int64_t start = RoundedUp(cursor_, step.align);
    if (start + step.bytes > top_) return {"stack-out-of-memory", 0};
    cursor_ = start + step.bytes;
    Add({start, cursor_, step.half, false, Here(), {}});
    return {"", start};
  }

  Answer Heap(const StackStep& step) {
    const std::int64_t align = step.align == 0 ? 4 : step.align;
    std::int64_t start = top_ - step.bytes;
    while (start > lower_ && start % align != 0) --start;
    if (start < cursor_ || start % align != 0) return {"heap-out-of-memory", 0};
    const int tile = Add({start, start + step.bytes, step.half, true, Here(), {}});
    heap_.push_back({start, start + step.bytes, top_, tile});
    top_ = start;
    return {"", start};
  }

  Answer Pop() {
    if (heap_.empty()) return {"heap-underflow", 0};
    const HeapTile tile = heap_.back();
    heap_.pop_back();
    tiles_[static_cast<std::size_t>(tile.tile)].popped = Here();
    top_ = tile.top;
    return {"", tile.begin};
  }

  Answer Skip(std::int64_t to) {
    if (to < cursor_) return {"stack-cursor", 0};
    if (to > top_) return {"stack-cursor-out-of-memory", 0};
    cursor_ = to;
    return {};
  }

  std::int64_t lower_;
  std::int64_t cursor_;
  std::int64_t top_;
  int next_id_ = 0;
  std::vector<Scope> open_;
  std::vector<Tile> tiles_;
  std::vector<Tile> marks_;  // where sub-scopes began
  std::vector<HeapTile> heap_;
  Texts sections_;
  Texts heaps_;
  bool wrapped_ = false;
  bool jumped_ = false;
};

}  // namespace spillway::nki
