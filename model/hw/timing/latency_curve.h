// Measured latencies by size, and what lies between the measured sizes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/hw/units.h"

namespace spillway {

/// The phases of one latency; see InstructionLatency.
struct PhaseTimes {
  Picoseconds read_init;
  Picoseconds exec;
  Picoseconds write_drain;

  Picoseconds total() const { return read_init + exec + write_drain; }
  friend bool operator==(const PhaseTimes&, const PhaseTimes&) = default;
};

/// One measurement.
struct LatencyPoint {
  std::int64_t size = 1;
  PhaseTimes times;
  friend bool operator==(const LatencyPoint&, const LatencyPoint&) = default;
};

/// Latency over sizes from 1. Between two points it is linear, in whole picoseconds; all distances
/// between points are powers of two, so that a look-up needs no division. Sizes below 1 cost what 1
/// does, sizes past the last point continue its last stretch.
class LatencyCurve {
 public:
  using Probe = std::function<PhaseTimes(std::int64_t size)>;

  /// Probes powers of two up to `last`, and halves every stretch whose middle is more than half a
  /// per cent off the straight line. A bend or a step inside a stretch is off by at most twice what
  /// the middle shows, so that any size is within 1 %.
  static LatencyCurve Sample(std::int64_t last, const Probe& probe);

  LatencyCurve() = default;
  /// `points` as `points()` gives them; see IsCurve.
  explicit LatencyCurve(std::vector<LatencyPoint> points);

  PhaseTimes At(std::int64_t size) const;
  const std::vector<LatencyPoint>& points() const { return points_; }
  friend bool operator==(const LatencyCurve&, const LatencyCurve&) = default;

 private:
  static constexpr int kOctaves = 24;

  std::vector<LatencyPoint> points_;
  std::array<std::uint16_t, kOctaves> first_of_octave_{};
};

/// Whether `points` can be a curve: every power of two from 1 to the last size, more between them
/// only at power-of-two distances, in order, no negative time.
bool IsCurve(const std::vector<LatencyPoint>& points);

/// Latency over two sizes: curves over the inner one at growing outer sizes, linear between them.
class LatencyGrid {
 public:
  using Probe = std::function<PhaseTimes(std::int64_t outer, std::int64_t inner)>;

  /// As for a curve. The middle of a stretch of outer sizes is judged at the ends and along the
  /// diagonal, where products and transposes have their bend.
  static LatencyGrid Sample(std::int64_t last_outer, std::int64_t last_inner, const Probe& probe);

  LatencyGrid() = default;
  LatencyGrid(std::vector<std::int64_t> outer, std::vector<LatencyCurve> curves);

  PhaseTimes At(std::int64_t outer, std::int64_t inner) const;
  const std::vector<std::int64_t>& outer() const { return outer_; }
  const std::vector<LatencyCurve>& curves() const { return curves_; }
  friend bool operator==(const LatencyGrid&, const LatencyGrid&) = default;

 private:
  std::vector<std::int64_t> outer_;
  std::vector<LatencyCurve> curves_;
};

}  // namespace spillway
