#include "model/alloc/nki/check_tile_lifetimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/alloc/nki/tile_texts.h"

namespace spillway::nki {
namespace {

// Rings and pairs of tensors that are looked at more closely: each costs a walk or two of the
// kernel.
constexpr int kMaxRings = 64;

class Reporter {
 public:
  Reporter(const Kernel& kernel, const Placement& placement, const Target& target,
           std::int64_t max_steps)
      : kernel_(kernel), placement_(placement), target_(target), max_steps_(max_steps) {}

  TileLifetimeReport Run() {
    report_.check.name = "tile-lifetimes";
    TileLifetimes lifetimes = FindTileFaults(kernel_, placement_, max_steps_);
    report_.check.checked = lifetimes.reads;
    report_.complete = lifetimes.complete;
    if (!lifetimes.complete) {
      report_.notes.push_back(fmt::format(
          "tile-lifetimes is inconclusive: it looked at the first {} steps of the kernel alone; "
          "what comes later may be wrong",
          max_steps_));
    }
    for (TileFault& fault : lifetimes.faults) AddFinding(std::move(fault));
    AddWaits();
    return std::move(report_);
  }

 private:
  const std::vector<Address>& AddressesOf(TensorId tensor) const {
    return placement_.addresses[tensor];
  }

  std::optional<EnoughTiles> Enough(TensorId tensor, const std::optional<TileCounts>& counts) {
    if (!counts) return std::nullopt;
    return PlaceEnoughTiles(kernel_, placement_, target_, tensor, *counts, max_steps_);
  }

  void AddFinding(TileFault fault) {
    TileFinding finding;
    const TensorId tensor = fault.read.tensor;
    if (fault.kind == TileFaultKind::kTooFewTiles) {
      finding.tiles_there = TilesThere(AddressesOf(tensor));
      const auto [known, is_new] = enough_.try_emplace(tensor);
      if (is_new && ++rings_ <= kMaxRings) {
        known->second =
            Enough(tensor, RequiredTiles(kernel_, placement_, tensor, max_steps_).correct);
      }
      finding.enough = known->second;
    }
    if (fault.kind == TileFaultKind::kOverlap) {
      const TensorId other = fault.clobber ? fault.clobber->tensor : tensor;
      const auto [known, is_new] = ways_out_.try_emplace(std::minmax(tensor, other));
      if (is_new && ++rings_ <= kMaxRings) known->second = FindWayOut(other, tensor);
      finding.way_out = known->second;
    }
    finding.fault = std::move(fault);
    report_.check.violations.push_back(AsViolation(finding));
    report_.findings.push_back(std::move(finding));
  }

  const LinearKernel& Linear() {
    if (!linear_) linear_ = Linearize(kernel_);
    return *linear_;
  }

  WayOut FindWayOut(TensorId clobber, TensorId victim) {
    WayOut way_out;
    way_out.tried = {clobber};
    if (victim != clobber) way_out.tried.push_back(victim);
    const auto size = [&](TensorId id) {
      const Interval<ByteOffset> bytes = BytesOfAll(kernel_.tensors[id], AddressesOf(id));
      return bytes.end - bytes.begin;
    };
    std::stable_sort(way_out.tried.begin(), way_out.tried.end(),
                     [&](TensorId a, TensorId b) { return size(a) < size(b); });
    for (const TensorId id : way_out.tried) {
      FreePlaceSearch search = FindFreePlace(Linear(), placement_, target_, id);
      way_out.complete = way_out.complete && search.complete;
      way_out.place = std::move(search.place);
      if (way_out.place) return way_out;
    }
    for (const TensorId id : way_out.tried) {
      if (kernel_.tensors[id].blocks.empty()) continue;
      const std::optional<TileCounts> counts =
          RequiredTiles(kernel_, placement_, id, max_steps_).correct;
      if (!counts || counts->tiles >= TilesThere(AddressesOf(id))) continue;
      std::optional<EnoughTiles> enough = Enough(id, counts);
      if (!enough || !enough->fits() || !enough->in_the_way.empty()) continue;
      way_out.ring = id;
      way_out.enough = std::move(enough);
      return way_out;
    }
    return way_out;
  }

  Violation AsViolation(const TileFinding& finding) const {
    const TileFault& fault = finding.fault;
    Violation violation;
    violation.kind =
        fault.kind == TileFaultKind::kUnloaded ? Kind::kUninitializedRead : Kind::kOverlap;
    violation.tensors = {kernel_.tensors[fault.read.tensor].name};
    if (fault.clobber && fault.clobber->tensor != fault.read.tensor)
      violation.tensors.push_back(kernel_.tensors[fault.clobber->tensor].name);
    violation.space = fault.space;
    violation.range = fault.where.bytes;
    const PointId other = fault.clobber ? fault.clobber->point : fault.read.point;
    violation.time = Interval<PointId>{std::min(other, fault.read.point),
                                       PointId(std::max(other, fault.read.point).value + 1)};
    violation.text = DescribeFinding(kernel_, target_, finding);
    return violation;
  }

  // Rings that are right: those with fewer tiles than blocks.
  void AddWaits() {
    for (std::size_t t = 0; t < kernel_.tensors.size(); ++t) {
      const TensorId id(t);
      if (kernel_.tensors[id].blocks.empty() || !IsPlacedOnChip(kernel_, placement_, id)) continue;
      TileWaitNote note;
      note.tensor = id;
      note.tiles_there = TilesThere(AddressesOf(id));
      if (note.tiles_there >= BlockCount(kernel_.tensors[id]) || enough_.contains(id)) continue;
      if (++rings_ > kMaxRings) {
        report_.notes.push_back(
            fmt::format("whether loads wait for readers was looked at for the first {} rings alone",
                        kMaxRings));
        return;
      }
      const TileNeeds needs = RequiredTiles(kernel_, placement_, id, max_steps_);
      if (!needs.waits) continue;
      note.wait = *needs.waits;
      note.enough = Enough(id, needs.overlapped);
      report_.notes.push_back(DescribeWait(kernel_, note));
      report_.waits.push_back(std::move(note));
    }
  }

  const Kernel& kernel_;
  const Placement& placement_;
  const Target& target_;
  std::int64_t max_steps_;
  int rings_ = 0;
  std::optional<LinearKernel> linear_;
  std::map<TensorId, std::optional<EnoughTiles>> enough_;
  std::map<std::pair<TensorId, TensorId>, std::optional<WayOut>> ways_out_;
  TileLifetimeReport report_;
};

}  // namespace

TileLifetimeReport ReportTileLifetimes(const Kernel& kernel, const Placement& placement,
                                       const Target& target, std::int64_t max_steps) {
  return Reporter(kernel, placement, target, max_steps).Run();
}

CheckResult CheckTileLifetimes(const LinearKernel& linear, const Placement& placement,
                               const Target& target, std::int64_t max_steps) {
  TileLifetimeReport report = ReportTileLifetimes(linear.kernel, placement, target, max_steps);
  if (!report.complete) {
    Violation violation;
    violation.kind = Kind::kLimit;
    violation.text = report.notes.front();
    report.check.violations.push_back(std::move(violation));
  }
  return std::move(report.check);
}

}  // namespace spillway::nki
