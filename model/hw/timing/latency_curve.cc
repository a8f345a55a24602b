#include "model/hw/timing/latency_curve.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "model/hw/error.h"

namespace spillway {
namespace {

__extension__ using Wide = __int128;

// Largest share of a latency by which the middle of a stretch may miss the straight line: 1 in 200.
constexpr std::int64_t kTolerance = 200;

bool IsPowerOfTwo(std::int64_t size) {
  return size > 0 && std::has_single_bit(static_cast<std::uint64_t>(size));
}

int Octave(std::int64_t size) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size))) - 1;
}

// The line through (0, a) and (2^shift, b) at `distance`, rounded to the nearest; it may lie
// beyond.
Picoseconds OnLine(Picoseconds a, Picoseconds b, std::int64_t distance, int shift) {
  const Wide rise = Wide{(b - a).value} * distance + ((Wide{1} << shift) >> 1);
  return a + Picoseconds(static_cast<std::int64_t>(rise >> shift));
}

PhaseTimes OnLine(const PhaseTimes& a, const PhaseTimes& b, std::int64_t distance, int shift) {
  return {OnLine(a.read_init, b.read_init, distance, shift),
          OnLine(a.exec, b.exec, distance, shift),
          OnLine(a.write_drain, b.write_drain, distance, shift)};
}

bool IsNear(const PhaseTimes& expected, const PhaseTimes& measured) {
  const Picoseconds miss = expected.total() - measured.total();
  return std::abs(miss.value) <= measured.total().value / kTolerance;
}

// Appends the points of (from, to], `to` last.
void SampleStretch(const LatencyPoint& from, const LatencyPoint& to,
                   const LatencyCurve::Probe& probe, std::vector<LatencyPoint>& points) {
  const std::int64_t length = to.size - from.size;
  if (length > 1) {
    const LatencyPoint middle{from.size + length / 2, probe(from.size + length / 2)};
    if (!IsNear(OnLine(from.times, to.times, length / 2, Octave(length)), middle.times)) {
      SampleStretch(from, middle, probe, points);
      SampleStretch(middle, to, probe, points);
      return;
    }
  }
  points.push_back(to);
}

}  // namespace

bool IsCurve(const std::vector<LatencyPoint>& points) {
  if (points.size() < 2 || points.front().size != 1 || !IsPowerOfTwo(points.back().size))
    return false;
  if (points.size() > 0xFFFF || Octave(points.back().size) >= 24) return false;
  std::int64_t next_power = 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PhaseTimes& times = points[i].times;
    if (std::min({times.read_init, times.exec, times.write_drain}) < Picoseconds(0)) return false;
    if (times.total() <= Picoseconds(0)) return false;
    if (i > 0 && !IsPowerOfTwo(points[i].size - points[i - 1].size)) return false;
    if (points[i].size > next_power) return false;
    if (points[i].size == next_power) next_power *= 2;
  }
  return true;
}

LatencyCurve LatencyCurve::Sample(std::int64_t last, const Probe& probe) {
  SPILLWAY_CHECK(last >= 2 && IsPowerOfTwo(last), "a curve ends at a power of two");
  std::vector<LatencyPoint> points = {{1, probe(1)}};
  for (std::int64_t size = 2; size <= last; size *= 2) {
    const LatencyPoint from = points.back();
    SampleStretch(from, {size, probe(size)}, probe, points);
  }
  return LatencyCurve(std::move(points));
}

LatencyCurve::LatencyCurve(std::vector<LatencyPoint> points) : points_(std::move(points)) {
  SPILLWAY_CHECK(IsCurve(points_), "points of a curve");
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!IsPowerOfTwo(points_[i].size)) continue;
    first_of_octave_[static_cast<std::size_t>(Octave(points_[i].size))] =
        static_cast<std::uint16_t>(i);
  }
}

PhaseTimes LatencyCurve::At(std::int64_t size) const {
  size = std::max<std::int64_t>(size, 1);
  std::size_t i = points_.size() - 2;
  if (size < points_.back().size) {
    i = first_of_octave_[static_cast<std::size_t>(Octave(size))];
    while (points_[i + 1].size <= size) ++i;
  }
  const LatencyPoint& from = points_[i];
  const LatencyPoint& to = points_[i + 1];
  return OnLine(from.times, to.times, size - from.size, Octave(to.size - from.size));
}

LatencyGrid LatencyGrid::Sample(std::int64_t last_outer, std::int64_t last_inner,
                                const Probe& probe) {
  const auto curve = [&](std::int64_t outer) {
    return LatencyCurve::Sample(last_inner,
                                [&](std::int64_t inner) { return probe(outer, inner); });
  };
  LatencyGrid grid({1, 2}, {curve(1), curve(2)});
  for (std::int64_t outer = 4; outer <= last_outer; outer *= 2) {
    grid.outer_.push_back(outer);
    grid.curves_.push_back(curve(outer));
  }
  for (std::size_t i = 0; i + 1 < grid.outer_.size();) {
    const std::int64_t from = grid.outer_[i];
    const std::int64_t to = grid.outer_[i + 1];
    const std::int64_t middle = from + (to - from) / 2;
    const auto is_near = [&](std::int64_t inner) {
      return IsNear(grid.At(middle, inner), probe(middle, inner));
    };
    if (to - from == 1 || (is_near(1) && is_near(std::min(from, last_inner)) &&
                           is_near(std::min(middle, last_inner)) && is_near(last_inner))) {
      ++i;
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(i) + 1;
    grid.outer_.insert(grid.outer_.begin() + at, middle);
    grid.curves_.insert(grid.curves_.begin() + at, curve(middle));
  }
  return grid;
}

LatencyGrid::LatencyGrid(std::vector<std::int64_t> outer, std::vector<LatencyCurve> curves)
    : outer_(std::move(outer)), curves_(std::move(curves)) {
  SPILLWAY_CHECK(outer_.size() == curves_.size() && outer_.size() >= 2 && outer_.front() == 1,
                 "a grid has a curve for each outer size, from 1");
}

PhaseTimes LatencyGrid::At(std::int64_t outer, std::int64_t inner) const {
  outer = std::max<std::int64_t>(outer, 1);
  if (outer == outer_.back()) return curves_.back().At(inner);
  const auto above = std::upper_bound(outer_.begin(), outer_.end() - 1, outer);
  const auto to = static_cast<std::size_t>(above - outer_.begin());
  const std::int64_t distance = outer - outer_[to - 1];
  const PhaseTimes from = curves_[to - 1].At(inner);
  if (distance == 0) return from;
  return OnLine(from, curves_[to].At(inner), distance, Octave(outer_[to] - outer_[to - 1]));
}

}  // namespace spillway
