// What a stack manager must do, said the slow way: sections start behind all tiles of their scope,
// found by looking at every tile there ever was.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace spillway::nki {

enum class StackOp { kOpen, kClose, kIncrement, kStack, kHeap, kPop };

struct StackStep {
  StackOp op = StackOp::kOpen;
  std::int64_t bytes = 1;
  std::int64_t align = 0;  ///< 0: the default; tiles are of one-byte elements
  std::int64_t degree = 1;
};

inline void showValue(const StackStep& step, std::ostream& out) {
  static constexpr const char* kNames[] = {"open", "close", "increment", "stack", "heap", "pop"};
  out << kNames[static_cast<int>(step.op)] << " bytes " << step.bytes << " align " << step.align
      << " degree " << step.degree;
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
  };

  StackModel(std::int64_t lower, std::int64_t upper) : lower_(lower), cursor_(lower), top_(upper) {}

  Answer Do(const StackStep& step) {
    switch (step.op) {
      case StackOp::kOpen: open_.push_back({next_id_++, step.degree, cursor_, 0, 0}); return {};
      case StackOp::kClose: return Close();
      case StackOp::kIncrement: return Increment();
      case StackOp::kStack: return Stack(step);
      case StackOp::kHeap: return Heap(step);
      case StackOp::kPop: return Pop();
    }
    return {};
  }

  std::int64_t cursor() const { return cursor_; }
  std::int64_t top() const { return top_; }
  std::size_t depth() const { return open_.size(); }
  const std::vector<HeapTile>& heap() const { return heap_; }
  bool wrapped() const { return wrapped_; }
  bool jumped() const { return jumped_; }

 private:
  struct Scope {
    int id = 0;
    std::int64_t degree = 1;
    std::int64_t begin = 0;
    std::int64_t section = 0;
    int round = 0;  ///< how often it came back to section 0
  };
  struct Place {
    int scope = 0;
    int round = 0;
  };
  struct Tile {
    std::int64_t end = 0;
    std::vector<Place> places;
  };

  // End of the last byte that any tile of the scope's current round takes, sub-scopes included.
  std::int64_t EndOf(const Scope& scope) const {
    std::int64_t end = scope.begin;
    for (const Tile& tile : tiles_) {
      for (const Place& place : tile.places) {
        if (place.scope == scope.id && place.round == scope.round) end = std::max(end, tile.end);
      }
    }
    return end;
  }

  Answer Close() {
    if (open_.empty()) return {"close-without-scope", 0};
    cursor_ = open_.back().begin;
    open_.pop_back();
    return {};
  }

  Answer Increment() {
    if (open_.empty()) return {"increment-without-scope", 0};
    Scope& scope = open_.back();
    if (scope.section + 1 == scope.degree) {
      scope.section = 0;
      ++scope.round;
      cursor_ = scope.begin;
      wrapped_ = true;
      return {};
    }
    const std::int64_t start = EndOf(scope);
    if (start > top_) return {"section-out-of-memory", 0};
    ++scope.section;
    jumped_ = jumped_ || start > cursor_;
    cursor_ = start;
    return {};
  }

  Answer Stack(const StackStep& step) {
    if (open_.empty()) return {"stack-without-scope", 0};
    std::int64_t start = cursor_;
    while (start % std::max<std::int64_t>(1, step.align) != 0) ++start;
    if (start + step.bytes > top_) return {"stack-out-of-memory", 0};
    cursor_ = start + step.bytes;
    Tile tile{cursor_, {}};
    for (const Scope& scope : open_) tile.places.push_back({scope.id, scope.round});
    tiles_.push_back(tile);
    return {"", start};
  }

  Answer Heap(const StackStep& step) {
    const std::int64_t align = step.align == 0 ? 4 : step.align;
    std::int64_t start = top_ - step.bytes;
    while (start > lower_ && start % align != 0) --start;
    if (start < cursor_ || start % align != 0) return {"heap-out-of-memory", 0};
    heap_.push_back({start, start + step.bytes, top_});
    top_ = start;
    return {"", start};
  }

  Answer Pop() {
    if (heap_.empty()) return {"heap-underflow", 0};
    const HeapTile tile = heap_.back();
    heap_.pop_back();
    top_ = tile.top;
    return {"", tile.begin};
  }

  std::int64_t lower_;
  std::int64_t cursor_;
  std::int64_t top_;
  int next_id_ = 0;
  std::vector<Scope> open_;
  std::vector<Tile> tiles_;
  std::vector<HeapTile> heap_;
  bool wrapped_ = false;
  bool jumped_ = false;
};

}  // namespace spillway::nki
