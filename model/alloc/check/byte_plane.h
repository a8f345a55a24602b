// What is known of every byte of one memory, kept for rectangles of bytes that share it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "model/hw/interval.h"

namespace spillway::check {

/// Disjoint rectangles of partitions x bytes with a `Cell` each. Bytes that nothing touched yet
/// have a cell of their own kind: a default one.
///
///     partitions     a strip is a range of bytes; its bands are disjoint ranges of partitions
///      128 +-----+--------+
///          |  b  |   c    |
///       64 +-----+        |
///          |  a  |        |
///        0 +-----+--------+-> bytes
template <class Cell>
class BytePlane {
 public:
  /// Calls `visit(Cell&, const Rectangle&)` for the pieces of `where`, in order of their bytes.
  template <class Visit>
  void ForEach(const Rectangle& where, Visit visit) {
    if (where.bytes.empty() || where.partitions.empty()) return;
    const std::int64_t end = where.bytes.end.value;
    SplitAt(end);
    auto strip = SplitAt(where.bytes.begin.value);
    for (std::int64_t at = where.bytes.begin.value; at < end; ++strip) {
      if (strip == strips_.end() || strip->first > at) {
        const std::int64_t gap = strip == strips_.end() ? end : std::min(end, strip->first);
        strip = strips_.emplace_hint(strip, at, Strip{gap, {}});
      }
      const Interval<ByteOffset> bytes{ByteOffset(at), ByteOffset(strip->second.end)};
      VisitBands(strip->second.bands, {where.partitions, bytes}, visit);
      at = strip->second.end;
    }
  }

  /// Calls `visit(const Cell&, const Rectangle&)` for the pieces of `where`, then gives all of it
  /// the one cell `cell`.
  template <class Visit>
  void Replace(const Rectangle& where, const Cell& cell, Visit visit) {
    if (where.bytes.empty() || where.partitions.empty()) return;
    const std::int64_t begin = where.bytes.begin.value;
    const std::int64_t end = where.bytes.end.value;
    auto next = strips_.lower_bound(begin);
    const bool free_before = next == strips_.begin() || std::prev(next)->second.end <= begin;
    if (free_before && (next == strips_.end() || next->first >= end)) {
      visit(Cell{}, where);
      strips_.emplace_hint(next, begin, Strip{end, {{where.partitions, cell}}});
      return;
    }
    if (next != strips_.end() && next->first == begin && next->second.end == end &&
        next->second.bands.size() == 1 &&
        next->second.bands.front().partitions == where.partitions) {
      visit(next->second.bands.front().cell, where);
      next->second.bands.front().cell = cell;
      return;
    }
    ForEach(where, visit);
    bool alone = true;
    auto strip = strips_.find(begin);
    while (strip != strips_.end() && strip->first < end) {
      std::erase_if(strip->second.bands,
                    [&](const Band& band) { return where.partitions.Covers(band.partitions); });
      alone = alone && strip->second.bands.empty();
      strip = strip->second.bands.empty() ? strips_.erase(strip) : std::next(strip);
    }
    if (alone) {
      strips_.emplace_hint(strip, begin, Strip{end, {{where.partitions, cell}}});
      return;
    }
    ForEach(where, [&](Cell& piece, const Rectangle&) { piece = cell; });
  }

  /// Calls `visit(const Cell&, const Rectangle&)` for the pieces of `where` and leaves them whole:
  /// the next one finds no new borders.
  template <class Visit>
  void Look(const Rectangle& where, Visit visit) const {
    if (where.bytes.empty() || where.partitions.empty()) return;
    const std::int64_t end = where.bytes.end.value;
    auto strip = StripAt(where.bytes.begin.value);
    for (std::int64_t at = where.bytes.begin.value; at < end;) {
      const bool known = strip != strips_.end() && strip->first <= at;
      const std::int64_t border = strip == strips_.end() ? end
                                  : known                ? strip->second.end
                                                         : strip->first;
      const std::int64_t next = std::min(end, border);
      const Interval<ByteOffset> bytes{ByteOffset(at), ByteOffset(next)};
      if (known) {
        LookAtBands(strip->second.bands, {where.partitions, bytes}, visit);
        ++strip;
      } else {
        visit(Cell{}, Rectangle{where.partitions, bytes});
      }
      at = next;
    }
  }

  /// The one cell that all of `where` has; null where there are several.
  const Cell* Covering(const Rectangle& where) const {
    const auto strip = StripAt(where.bytes.begin.value);
    if (strip == strips_.end() || strip->first > where.bytes.begin.value ||
        strip->second.end < where.bytes.end.value) {
      return nullptr;
    }
    for (const Band& band : strip->second.bands) {
      if (band.partitions.Covers(where.partitions)) return &band.cell;
    }
    return nullptr;
  }

 private:
  struct Band {
    Interval<Partition> partitions;
    Cell cell;
  };
  struct Strip {
    std::int64_t end = 0;
    std::vector<Band> bands;  ///< in no order
  };
  using Strips = std::map<std::int64_t, Strip>;

  // The strip that holds `byte`, or the first behind it.
  typename Strips::const_iterator StripAt(std::int64_t byte) const {
    auto strip = strips_.upper_bound(byte);
    if (strip != strips_.begin() && std::prev(strip)->second.end > byte) --strip;
    return strip;
  }

  template <class Visit>
  static void LookAtBands(const std::vector<Band>& bands, const Rectangle& where, Visit& visit) {
    std::int64_t rows = 0;
    for (const Band& band : bands) {
      const Interval<Partition> part = Intersect(band.partitions, where.partitions);
      if (part.empty()) continue;
      rows += (part.end - part.begin).value;
      visit(band.cell, Rectangle{part, where.bytes});
    }
    if (rows == (where.partitions.end - where.partitions.begin).value) return;
    for (Partition at = where.partitions.begin; at < where.partitions.end;) {
      const BandOrGap next = BandOrGapAt(bands, at, where.partitions.end);
      if (!next.known) visit(Cell{}, Rectangle{next.partitions, where.bytes});
      at = next.partitions.end;
    }
  }

  // The first strip that begins at `byte` or later; none goes across it any more.
  typename Strips::iterator SplitAt(std::int64_t byte) {
    auto next = strips_.lower_bound(byte);
    if (next == strips_.begin()) return next;
    Strip& before = std::prev(next)->second;
    if (before.end <= byte) return next;
    Strip rest{before.end, before.bands};
    before.end = byte;
    return strips_.emplace_hint(next, byte, std::move(rest));
  }

  // Cuts `band` at the edges of `rows`, appends what lies outside and keeps what lies inside.
  static void Cut(std::vector<Band>& bands, std::size_t band, Interval<Partition> rows) {
    const Interval<Partition> all = bands[band].partitions;
    const Interval<Partition> inside = Intersect(all, rows);
    bands[band].partitions = inside;
    if (all.begin < inside.begin)
      bands.push_back({{all.begin, inside.begin}, Cell(bands[band].cell)});
    if (inside.end < all.end) bands.push_back({{inside.end, all.end}, Cell(bands[band].cell)});
  }

  template <class Visit>
  static void VisitBands(std::vector<Band>& bands, const Rectangle& where, Visit& visit) {
    std::int64_t rows = 0;
    const std::size_t before = bands.size();
    for (std::size_t b = 0; b < before; ++b) {
      if (!Overlap(bands[b].partitions, where.partitions)) continue;
      Cut(bands, b, where.partitions);
      rows += (bands[b].partitions.end - bands[b].partitions.begin).value;
      visit(bands[b].cell, Rectangle{bands[b].partitions, where.bytes});
    }
    if (rows == (where.partitions.end - where.partitions.begin).value) return;
    FillGaps(bands, where, visit);
  }

  template <class Visit>
  static void FillGaps(std::vector<Band>& bands, const Rectangle& where, Visit& visit) {
    for (Partition at = where.partitions.begin; at < where.partitions.end;) {
      const BandOrGap next = BandOrGapAt(bands, at, where.partitions.end);
      if (!next.known) {
        bands.push_back({next.partitions, Cell{}});
        visit(bands.back().cell, Rectangle{next.partitions, where.bytes});
      }
      at = next.partitions.end;
    }
  }

  struct BandOrGap {
    Interval<Partition> partitions;
    bool known = false;
  };
  // From `at` to the end of the band that holds it, or to the next band's begin.
  static BandOrGap BandOrGapAt(const std::vector<Band>& bands, Partition at, Partition end) {
    Interval<Partition> gap{at, end};
    for (const Band& band : bands) {
      if (band.partitions.Contains(at)) return {{at, band.partitions.end}, true};
      if (at < band.partitions.begin) gap.end = std::min(gap.end, band.partitions.begin);
    }
    return {gap, false};
  }

  Strips strips_;
};

}  // namespace spillway::check
