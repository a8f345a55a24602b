#include "model/alloc/sbuf/colour_best.h"

#include <utility>

#include "model/hw/error.h"
#include "model/hw/fault.h"

namespace spillway {
namespace {

constexpr int kMetrics = 3;

SpillMetric MetricOf(SpillMetric first, std::int64_t attempt) {
  return static_cast<SpillMetric>((static_cast<std::int64_t>(first) + attempt) % kMetrics);
}

// In [0, 1), scrambled so that neighbouring attempts and tensors have nothing in common (the
// finaliser of SplitMix64).
double Unit(std::uint64_t attempt, std::uint64_t tensor) {
  std::uint64_t x = (attempt << 40U) + tensor + 1;
  x *= 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((x ^ (x >> 31U)) >> 11U) * 0x1p-53;
}

// What simplify believes in this attempt. The first round of metrics keeps the costs, so that each
// metric is tried as it is.
IdVector<TensorId, SpillCost> Perturbed(IdVector<TensorId, SpillCost> costs, std::int64_t attempt) {
  if (attempt < kMetrics) return costs;
  for (std::size_t t = 0; t < costs.size(); ++t) {
    SpillCost& cost = costs[TensorId(t)];
    if (!cost.IsFinite()) continue;
    const double factor = 0.5 + 1.5 * Unit(static_cast<std::uint64_t>(attempt), t);
    cost = SpillCost::Finite(cost.cycles() * factor);
  }
  return costs;
}

bool IsCheaper(const Colouring& a, const Colouring& b) {
  if (a.selection.notes.size() != b.selection.notes.size())
    return a.selection.notes.size() < b.selection.notes.size();
  return a.selection.score < b.selection.score;
}

}  // namespace

Colouring ColourBest(const Kernel& kernel, const IdVector<NodeId, Node>& nodes,
                     const IdVector<TensorId, SpillCost>& costs, const Partners& partners,
                     std::size_t point_count, Granules capacity, SpillMetric metric,
                     std::int64_t attempts) {
  SPILLWAY_CHECK(attempts >= 1, "an order of the nodes is tried");
  Colouring best;
  for (std::int64_t attempt = 0; attempt < attempts; ++attempt) {
    const auto residual = MakeResidualCapacity(nodes, point_count, capacity);
    Colouring tried;
    tried.attempt = attempt;
    tried.stack =
        Simplify(nodes, Perturbed(costs, attempt), partners, *residual, MetricOf(metric, attempt));
    tried.selection = Select(kernel, nodes, costs, tried.stack, capacity);
    const bool placed_all = tried.selection.unplaced.empty();
    if (attempt == 0 || SPILLWAY_FAULT(C19, IsCheaper(tried, best), true)) best = std::move(tried);
    if (SPILLWAY_FAULT(C19, placed_all, false)) break;
  }
  return best;
}

}  // namespace spillway
