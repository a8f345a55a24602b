#include "tests/property/task/naive_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace spillway::task {
namespace {

/// By task, and by number of the task's commits (releases): the events in which each completes.
using Parts = std::map<TaskId, std::vector<std::vector<std::size_t>>>;

/// A wait or an acquire that waits for what has that number.
struct Asking {
  std::size_t event = 0;
  PipelineId pipeline;
  bool for_fill = false;
  std::size_t number = 0;
};

}  // namespace

NaiveGraph NaiveGraphOf(const PipelineSystem& system, const Program& program) {
  NaiveGraph graph;
  graph.begin_of.resize(program.steps.size());
  graph.end_of.resize(program.steps.size());
  std::map<std::pair<PipelineId, bool>, Parts> parts;  // true: of fills
  std::vector<Asking> askings;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    std::optional<std::size_t> last;  // in the task's order
    std::optional<std::size_t> last_retire;
    std::map<PipelineId, std::size_t> waits;
    std::map<PipelineId, std::size_t> acquires;
    for (const Step& step : program.steps[task]) {
      const std::size_t begin = graph.events++;
      if (last) graph.own.emplace_back(*last, begin);
      last = begin;
      std::size_t end = begin;
      const bool is_asynchronous =
          step.kind == OperationKind::kDma || step.kind == OperationKind::kMatrix;
      if (is_asynchronous || step.kind == OperationKind::kAccess) {
        end = graph.events++;
        graph.own.emplace_back(begin, end);
        if (!is_asynchronous) last = end;
      }
      if (step.kind == OperationKind::kMatrix) {
        if (last_retire) graph.own.emplace_back(*last_retire, end);
        last_retire = end;
      }
      graph.begin_of[task].push_back(begin);
      graph.end_of[task].push_back(end);
      for (const SyncPart& part : program.PartsOf(step)) {
        const Pipeline& pipeline = system.pipelines[part.pipeline];
        if (part.kind == OperationKind::kWait) {
          askings.push_back({begin, part.pipeline, true, waits[part.pipeline]++});
          continue;
        }
        if (part.kind == OperationKind::kAcquire) {
          const std::size_t number = acquires[part.pipeline]++;
          const auto stages = static_cast<std::size_t>(pipeline.stages);
          if (number >= stages) askings.push_back({begin, part.pipeline, false, number - stages});
          continue;
        }
        const bool fills = part.kind == OperationKind::kCommit;
        const SideKind kind = *(fills ? pipeline.producer : pipeline.consumer).Of(task);
        // A transfer's part is its end; any other one's is the event itself.
        std::vector<std::size_t> completes = {step.kind == OperationKind::kDma ? end : begin};
        if (kind == SideKind::kMatrix && last_retire) completes.push_back(*last_retire);
        parts[{part.pipeline, fills}][task].push_back(std::move(completes));
      }
    }
  }
  for (const Asking& asking : askings) {
    const Parts& contributors = parts[{asking.pipeline, asking.for_fill}];
    bool is_dead = contributors.empty();
    for (const auto& [task, completed] : contributors) {
      if (asking.number >= completed.size()) {
        is_dead = true;
        continue;
      }
      for (const std::size_t event : completed[asking.number])
        graph.between.emplace_back(event, asking.event);
    }
    if (is_dead) graph.dead.push_back(asking.event);
  }
  // Each edge once, so that one fewer is one fewer.
  std::sort(graph.between.begin(), graph.between.end());
  graph.between.erase(std::unique(graph.between.begin(), graph.between.end()), graph.between.end());
  return graph;
}

NaiveOrder::NaiveOrder(const NaiveGraph& graph)
    : happens_(graph.events, false), before_(graph.events, std::vector<bool>(graph.events, false)) {
  std::vector<std::pair<std::size_t, std::size_t>> edges = graph.own;
  edges.insert(edges.end(), graph.between.begin(), graph.between.end());
  // What never happens: the dead, what follows them, and circles.
  for (bool any = true; any;) {
    any = false;
    std::vector<bool> ready(graph.events, true);
    for (const std::size_t dead : graph.dead) ready[dead] = false;
    for (const auto& [source, target] : edges) {
      if (!happens_[source]) ready[target] = false;
    }
    for (std::size_t i = 0; i < graph.events; ++i) {
      if (!ready[i] || happens_[i]) continue;
      happens_[i] = any = true;
    }
  }
  for (const auto& [source, target] : edges) before_[source][target] = true;
  for (std::size_t k = 0; k < graph.events; ++k) {
    for (std::size_t i = 0; i < graph.events; ++i) {
      if (!before_[i][k]) continue;
      for (std::size_t j = 0; j < graph.events; ++j) {
        if (before_[k][j]) before_[i][j] = true;
      }
    }
  }
}

namespace {

using Names = std::array<std::string, 3>;

struct Point {
  AccessPoint point;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// All accesses that begin.
std::vector<Point> PointsOf(const Program& program, const NaiveGraph& graph,
                            const NaiveOrder& order) {
  std::vector<Point> points;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    for (std::uint32_t i = 0; i < program.steps[task].size(); ++i) {
      const Step& step = program.steps[task][i];
      const std::size_t begin = graph.begin_of[task][i];
      if (!order.Happens(begin)) continue;
      for (const StepAccess& access : program.AccessesOf(step)) {
        points.push_back({{{ActorOf(task, step), access.kind, access.resource},
                           access.occurrence,
                           i,
                           access.slot},
                          begin,
                          graph.end_of[task][i]});
      }
    }
  }
  return points;
}

/// Two accesses of different actors, or of two different transfers of one dma actor, at least one
/// of them not a read.
bool MayConflict(const AccessPoint& a, const AccessPoint& b) {
  const bool both_read = a.what.access == AccessKind::kRead && b.what.access == AccessKind::kRead;
  if (both_read) return false;
  if (a.what.actor.task != b.what.actor.task) return true;
  if (a.what.actor.kind != b.what.actor.kind) return true;
  return a.what.actor.kind == SideKind::kDma && a.step != b.step;
}

bool IsInside(const Footprint& footprint, MemorySpace space, std::int64_t unit,
              std::int64_t partition) {
  return footprint.space == space && footprint.range.begin.value <= unit &&
         unit < footprint.range.end.value && footprint.partitions.begin.value <= partition &&
         partition < footprint.partitions.end.value;
}

/// The race of both, if they share a place: of the first regions that do. The one whose names come
/// first is its a; of equal names the earlier one.
std::optional<Race> RaceOf(const PipelineSystem& system, const Program& program,
                           const AccessPoint& one, const AccessPoint& other) {
  const auto rank = [&](const AccessPoint& point) {
    return std::tuple(NamesOf(system, point.what), point.occurrence);
  };
  const AccessPoint& a = rank(one) < rank(other) ? one : other;
  const AccessPoint& b = rank(one) < rank(other) ? other : one;
  for (const Footprint& first : program.footprints[a.what.resource][a.slot]) {
    for (const Footprint& second : program.footprints[b.what.resource][b.slot]) {
      // Rectangles that meet share the corner that begins last.
      const std::int64_t unit = std::max(first.range.begin.value, second.range.begin.value);
      const std::int64_t row =
          std::max<std::int64_t>(first.partitions.begin.value, second.partitions.begin.value);
      if (!IsInside(first, second.space, unit, row) || !IsInside(second, first.space, unit, row))
        continue;
      const std::int64_t end = std::min(first.range.end.value, second.range.end.value);
      return Race{a, b, first.space, {UnitOffset(unit), UnitOffset(end)}};
    }
  }
  return std::nullopt;
}

bool Covers(const Program& program, const AccessPoint& write, MemorySpace space, UnitOffset unit,
            Partition partition) {
  const auto& footprints = program.footprints[write.what.resource][write.slot];
  return std::any_of(footprints.begin(), footprints.end(), [&](const Footprint& footprint) {
    return IsInside(footprint, space, unit.value, partition.value);
  });
}

}  // namespace

std::vector<Race> NaiveRaces(const PipelineSystem& system, const Program& program,
                             const NaiveGraph& graph) {
  const NaiveOrder order(graph);
  const std::vector<Point> points = PointsOf(program, graph, order);
  std::map<std::pair<Names, Names>, Race> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const Point& a = points[i];
      const Point& b = points[j];
      if (!MayConflict(a.point, b.point)) continue;
      if (order.Before(a.end, b.begin) || order.Before(b.end, a.begin)) continue;
      const std::optional<Race> race = RaceOf(system, program, a.point, b.point);
      if (!race) continue;
      const auto [at, is_new] = found.emplace(
          std::pair(NamesOf(system, race->a.what), NamesOf(system, race->b.what)), *race);
      if (!is_new && std::pair(race->a.occurrence, race->b.occurrence) <
                         std::pair(at->second.a.occurrence, at->second.b.occurrence))
        at->second = *race;
    }
  }
  std::vector<Race> races;
  for (const auto& [names, race] : found) races.push_back(race);
  return races;
}

NaiveReachingWrites NaiveClobbers(const PipelineSystem& system, const Program& program,
                                  const NaiveGraph& graph) {
  const NaiveOrder order(graph);
  const std::vector<Point> points = PointsOf(program, graph, order);
  const auto is_before = [&](const Point& a, const Point& b) {
    const Actor& actor = a.point.what.actor;
    if (actor == b.point.what.actor && actor.kind == SideKind::kMatrix)
      return a.point.step < b.point.step;
    return order.Before(a.end, b.begin);
  };
  std::map<std::pair<Names, Names>, NaiveClobber> clobbers;
  std::map<Names, NaiveUninitialized> uninitialized;
  for (const Point& read : points) {
    if (read.point.what.access != AccessKind::kRead) continue;
    const Resource& resource = system.resources[read.point.what.resource];
    for (const Footprint& footprint :
         program.footprints[read.point.what.resource][read.point.slot]) {
      for (UnitOffset unit = footprint.range.begin; unit < footprint.range.end;
           unit = unit + Units(32)) {
        for (Partition row = footprint.partitions.begin; row < footprint.partitions.end;
             row = row + PartitionCount(32)) {
          std::vector<const Point*> before;
          bool any_unordered = false;
          for (const Point& write : points) {
            if (write.point.what.access == AccessKind::kRead) continue;
            if (!Covers(program, write.point, footprint.space, unit, row)) continue;
            if (is_before(write, read)) {
              before.push_back(&write);
            } else if (!is_before(read, write)) {
              any_unordered = true;
            }
          }
          if (before.empty() && !any_unordered && !resource.initial) {
            const NaiveUninitialized found{read.point, unit, row};
            const auto [at, is_new] =
                uninitialized.emplace(NamesOf(system, read.point.what), found);
            if (!is_new && read.point.occurrence < at->second.read.occurrence) at->second = found;
          }
          for (const Point* write : before) {
            if (std::any_of(before.begin(), before.end(),
                            [&](const Point* other) { return is_before(*write, *other); }))
              continue;
            const ResourceId written = write->point.what.resource;
            if (written == read.point.what.resource ||
                std::count(resource.shares.begin(), resource.shares.end(), written) > 0)
              continue;
            const NaiveClobber found{read.point, write->point, unit, row};
            const auto [at, is_new] = clobbers.emplace(
                std::pair(NamesOf(system, read.point.what), NamesOf(system, write->point.what)),
                found);
            if (!is_new && std::pair(read.point.occurrence, write->point.occurrence) <
                               std::pair(at->second.read.occurrence, at->second.write.occurrence))
              at->second = found;
          }
        }
      }
    }
  }
  NaiveReachingWrites found;
  for (const auto& [names, clobber] : clobbers) found.clobbers.push_back(clobber);
  for (const auto& [names, read] : uninitialized) found.uninitialized.push_back(read);
  return found;
}

NaiveReachingWrites CornersOf(const Verdict& verdict) {
  NaiveReachingWrites corners;
  for (const Clobber& clobber : verdict.clobbers) {
    corners.clobbers.push_back(
        {clobber.read, clobber.write, clobber.piece.range.begin, clobber.piece.partitions.begin});
  }
  for (const UninitializedRead& one : verdict.uninitialized) {
    corners.uninitialized.push_back({one.read, one.piece.range.begin, one.piece.partitions.begin});
  }
  return corners;
}

}  // namespace spillway::task
