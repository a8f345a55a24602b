#include "model/alloc/check/plane_set.h"

#include <algorithm>

namespace spillway::check {
namespace {

using Band = PlaneSet::Band;
using RunsOperation = Runs (*)(const Runs&, const Runs&);

// Cuts both band lists at each other's edges and combines what lies over the same partitions.
std::vector<Band> Combine(const std::vector<Band>& a, const std::vector<Band>& b,
                          RunsOperation combine) {
  if (a.size() == 1 && b.size() == 1 && a.front().partitions == b.front().partitions) {
    Runs runs = combine(a.front().runs, b.front().runs);
    if (runs.empty()) return {};
    std::vector<Band> one;
    one.push_back({a.front().partitions, std::move(runs)});
    return one;
  }
  std::vector<Partition> edges;
  for (const auto* bands : {&a, &b}) {
    for (const Band& band : *bands) {
      edges.push_back(band.partitions.begin);
      edges.push_back(band.partitions.end);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  static const Runs kNone;
  std::size_t in_a = 0;
  std::size_t in_b = 0;
  const auto runs_at = [](const std::vector<Band>& bands, std::size_t& next,
                          Partition at) -> const Runs& {
    while (next < bands.size() && bands[next].partitions.end <= at) ++next;
    return next < bands.size() && bands[next].partitions.Contains(at) ? bands[next].runs : kNone;
  };
  std::vector<Band> result;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    Runs runs = combine(runs_at(a, in_a, edges[i]), runs_at(b, in_b, edges[i]));
    if (runs.empty()) continue;
    if (!result.empty() && result.back().partitions.end == edges[i] && result.back().runs == runs) {
      result.back().partitions.end = edges[i + 1];
    } else {
      result.push_back({{edges[i], edges[i + 1]}, std::move(runs)});
    }
  }
  return result;
}

Runs IntersectionOf(const Runs& a, const Runs& b) {
  Runs both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Interval<ByteOffset> run = Intersect(a[i], b[j]);
    if (!run.empty()) both.push_back(run);
    ++(a[i].end < b[j].end ? i : j);
  }
  return both;
}

}  // namespace

Runs UnionOf(const Runs& a, const Runs& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Runs merged;
  merged.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  std::size_t kept = 0;
  for (std::size_t i = 1; i < merged.size(); ++i) {
    if (merged[i].begin <= merged[kept].end) {
      merged[kept].end = std::max(merged[kept].end, merged[i].end);
    } else {
      merged[++kept] = merged[i];
    }
  }
  merged.resize(kept + 1);
  return merged;
}

Runs DifferenceOf(const Runs& a, const Runs& b) {
  Runs left;
  std::size_t hole = 0;
  for (Interval<ByteOffset> run : a) {
    while (hole < b.size() && b[hole].end <= run.begin) ++hole;
    for (std::size_t h = hole; h < b.size() && b[h].begin < run.end; ++h) {
      if (run.begin < b[h].begin) left.push_back({run.begin, b[h].begin});
      run.begin = std::max(run.begin, std::min(b[h].end, run.end));
    }
    if (!run.empty()) left.push_back(run);
  }
  return left;
}

PlaneSet::PlaneSet(Interval<Partition> partitions, Runs runs) {
  if (!partitions.empty() && !runs.empty()) bands_.push_back({partitions, std::move(runs)});
}

void PlaneSet::Unite(const PlaneSet& other) {
  if (other.empty() || bands_ == other.bands_) return;
  bands_ = empty() ? other.bands_ : Combine(bands_, other.bands_, &UnionOf);
}

void PlaneSet::Subtract(const PlaneSet& other) {
  if (empty() || other.empty()) return;
  bands_ =
      bands_ == other.bands_ ? std::vector<Band>() : Combine(bands_, other.bands_, &DifferenceOf);
}

void PlaneSet::IntersectWith(const PlaneSet& other) {
  if (bands_ == other.bands_) return;
  bands_ = Combine(bands_, other.bands_, &IntersectionOf);
}

PlaneSet PlaneSet::Shifted(PartitionCount partitions, Bytes bytes) const {
  PlaneSet moved = *this;
  for (Band& band : moved.bands_) {
    band.partitions = {band.partitions.begin + partitions, band.partitions.end + partitions};
    for (Interval<ByteOffset>& run : band.runs) run = {run.begin + bytes, run.end + bytes};
  }
  return moved;
}

}  // namespace spillway::check
