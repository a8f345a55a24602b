#include "model/alloc/check_task/covering_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/alloc/task/codes.h"

namespace spillway::task {
namespace {

/// `whole` and the borders inside it, ascending: pieces lie between neighbours.
template <class T>
std::vector<T> Cuts(const Interval<T>& whole, std::vector<T> borders) {
  std::erase_if(borders, [&](T border) { return !(whole.begin < border && border < whole.end); });
  borders.push_back(whole.begin);
  borders.push_back(whole.end);
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

struct Cover {
  Footprint footprint;
  std::uint32_t write = 0;
};

}  // namespace

Result<std::vector<CoveredPiece>> CoveringWrites(const Program& program, const AccessGroup& read,
                                                 const std::vector<const AccessGroup*>& writes) {
  std::map<std::vector<std::uint32_t>, CoveredPiece> sets;
  std::size_t pieces = 0;
  std::size_t number = 0;
  for (const Footprint& footprint : read.Footprints(program)) {
    std::vector<Cover> covers;
    std::vector<UnitOffset> units;
    std::vector<Partition> rows;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      for (const Footprint& other : writes[i]->Footprints(program)) {
        if (!Overlap(footprint, other)) continue;
        covers.push_back({other, static_cast<std::uint32_t>(i)});
        units.insert(units.end(), {other.range.begin, other.range.end});
        rows.insert(rows.end(), {other.partitions.begin, other.partitions.end});
      }
    }
    units = Cuts(footprint.range, std::move(units));
    rows = Cuts(footprint.partitions, std::move(rows));
    pieces += (units.size() - 1) * (rows.size() - 1) * (covers.size() + 1);
    if (pieces > kMaxPieces) {
      return Fail(MakeError(Code::kLimit,
                            fmt::format("resource {}: expected at most {} pieces that writes cut "
                                        "its memory into, found more",
                                        read.what.resource.value, kMaxPieces)));
    }
    for (std::size_t u = 0; u + 1 < units.size(); ++u) {
      for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
        std::vector<std::uint32_t> set;
        for (const Cover& cover : covers) {
          if (cover.footprint.range.Contains(units[u]) &&
              cover.footprint.partitions.Contains(rows[r]))
            set.push_back(cover.write);
        }
        set.erase(std::unique(set.begin(), set.end()), set.end());
        const Footprint piece{footprint.space, {units[u], units[u + 1]}, {rows[r], rows[r + 1]}};
        sets.try_emplace(set, CoveredPiece{set, piece, number++});
      }
    }
  }
  std::vector<CoveredPiece> covers;
  for (auto& [set, covered] : sets) covers.push_back(std::move(covered));
  return covers;
}

}  // namespace spillway::task
