// Which sections of interleaved scopes share bytes with their neighbours.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

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

/// Follows scopes as they open, advance and close, and the tiles in between.
class SectionHistory {
 public:
  void Open(std::string path, std::int64_t interleave_degree);
  /// A tile in the current sections of all open scopes.
  void Add(const Rectangle& tile);
  /// The innermost scope goes to its next section.
  void Advance();
  void Close();

  /// In the order in which the later sections ended; sections that are still open aren't judged.
  const std::vector<SectionOverlap>& overlaps() const { return overlaps_; }

 private:
  struct Section {
    std::int64_t visit = 0;
    Interval<ByteOffset> hull;
    std::vector<Rectangle> tiles;
  };
  struct Scope {
    std::string path;
    std::int64_t interleave_degree = 1;
    Section current;
    std::deque<Section> earlier;  ///< the last degree - 1 of them
  };

  void End(Scope& scope);

  std::vector<Scope> scopes_;
  std::vector<SectionOverlap> overlaps_;
};

}  // namespace spillway::nki
