// Which sections of interleaved scopes share bytes with their neighbours, by stack or by heap.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "model/alloc/nki/tile.h"
#include "model/hw/interval.h"

namespace spillway::nki {

/// Two sections of one scope that were less than its interleave degree apart, and share bytes: the
/// promise of multiple buffers doesn't hold for them. The later one must wait for the earlier one's
/// last use, which needs a dependence check; a missed dependence is a race.
/// Source: nki_kernels_and_issues.md 3.2, A6.
struct SectionOverlap {
  std::string scope;  ///< path of names, "outer/inner"
  std::int64_t interleave_degree = 0;
  std::int64_t earlier = 0;  ///< visits: sections entered before, since the scope opened
  std::int64_t later = 0;
  Interval<ByteOffset> earlier_bytes;  ///< from the section's first tile to its last
  Interval<ByteOffset> later_bytes;
  Interval<ByteOffset> shared;  ///< hull of the bytes that tiles of both take
  std::string text;             ///< for a person: ends with "needs a dependence check"

  friend bool operator==(const SectionOverlap&, const SectionOverlap&) = default;
};

/// A tile of one of two sections, as reports name it.
struct SectionTile {
  std::string name;
  TileRegion region = TileRegion::kStack;
  Rectangle place;

  friend bool operator==(const SectionTile&, const SectionTile&) = default;
};

/// The same promise, broken through the heap: of two tiles of sections that are less than the
/// interleave degree apart, at least one is of the heap, and the later one was given bytes of the
/// earlier one. A heap tile belongs to the section that allocates it and to the one that pops it;
/// what shares bytes with a heap tile that is still there was refused.
/// Source: nki_kernels_and_issues.md 3.2, A6; derived: the heap grows down over places above the
/// stack cursor, which neighbouring sections hold, and the stack up over what a pop freed.
struct HeapOverlap {
  std::string scope;
  std::int64_t interleave_degree = 0;
  std::int64_t earlier = 0;  ///< visits, as above
  std::int64_t later = 0;
  SectionTile earlier_tile;
  SectionTile later_tile;
  Interval<ByteOffset> shared;
  std::string text;  ///< names both tiles and their bytes; ends as above

  friend bool operator==(const HeapOverlap&, const HeapOverlap&) = default;
};

/// Follows scopes as they open, advance and close, and the tiles in between.
class SectionHistory {
 public:
  void Open(std::string path, std::int64_t interleave_degree);
  /// A stack tile in the current sections of all open scopes.
  void Add(std::string name, const Rectangle& place);
  /// A heap tile is allocated in them.
  void AddHeap(std::string name, const Rectangle& place);
  /// A heap tile is popped in them: their neighbours may be given its bytes from now on.
  void FreeHeap(std::string name, const Rectangle& place);
  /// The innermost scope goes to its next section.
  void Advance();
  void Close();

  /// In the order in which the later sections ended; sections that are still open aren't judged.
  const std::vector<SectionOverlap>& overlaps() const { return overlaps_; }
  /// In the order in which the later tiles were allocated.
  const std::vector<HeapOverlap>& heap_overlaps() const { return heap_overlaps_; }

 private:
  struct Section {
    std::int64_t visit = 0;
    Interval<ByteOffset> hull;  // of `stack`
    std::vector<SectionTile> stack;
    std::vector<SectionTile> freed;  // heap tiles that it popped
  };
  struct Scope {
    std::string path;
    std::int64_t interleave_degree = 1;
    Section current;
    std::deque<Section> earlier;  ///< the last degree - 1 of them
  };

  void End(Scope& scope);
  void Compare(const Scope& scope, const Section& earlier, const std::vector<SectionTile>& tiles,
               const SectionTile& later);

  std::vector<Scope> scopes_;
  std::vector<SectionOverlap> overlaps_;
  std::vector<HeapOverlap> heap_overlaps_;
};

}  // namespace spillway::nki
