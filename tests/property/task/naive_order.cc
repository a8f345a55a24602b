#include "tests/property/task/naive_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace spillway::task {

NaiveOrder::NaiveOrder(const Program& program, const EventGraph& graph)
    : happens_(graph.events.size(), true),
      before_(graph.events.size(), std::vector<bool>(graph.events.size(), false)) {
  const std::size_t count = graph.events.size();
  std::vector<OrderEdge> edges = graph.edges;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    std::vector<EventId> in_order;
    std::vector<EventId> retires;
    for (std::size_t i = 0; i < count; ++i) {
      const EventId id(i);
      const Event& event = graph.events[id];
      if (event.task != task) continue;
      if (IsInTaskOrder(event.kind)) in_order.push_back(id);
      if (event.kind == EventKind::kRetire) retires.push_back(id);
      if (!IsInTaskOrder(event.kind)) edges.push_back({graph.Begin(task, event.step), id});
    }
    for (const std::vector<EventId>& chain : {in_order, retires}) {
      for (std::size_t i = 0; i + 1 < chain.size(); ++i) edges.push_back({chain[i], chain[i + 1]});
    }
  }
  // What never happens: the dead, what follows them, and circles.
  std::vector<bool> done(count, false);
  for (bool any = true; any;) {
    any = false;
    std::vector<bool> ready(count, true);
    for (const EventId dead : graph.dead) ready[dead.value] = false;
    for (const OrderEdge& edge : edges) {
      if (!done[edge.source.value]) ready[edge.target.value] = false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!ready[i] || done[i]) continue;
      done[i] = any = true;
    }
  }
  happens_ = done;
  for (const OrderEdge& edge : edges) before_[edge.source.value][edge.target.value] = true;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!before_[i][k]) continue;
      for (std::size_t j = 0; j < count; ++j) {
        if (before_[k][j]) before_[i][j] = true;
      }
    }
  }
}

namespace {

using Names = std::array<std::string, 3>;

struct Point {
  AccessPoint point;
  EventId begin;
  EventId end;
};

/// All accesses that begin.
std::vector<Point> PointsOf(const Program& program, const EventGraph& graph,
                            const NaiveOrder& order) {
  std::vector<Point> points;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    const TaskId task(t);
    for (std::uint32_t i = 0; i < program.steps[task].size(); ++i) {
      const Step& step = program.steps[task][i];
      if (!order.Happens(graph.Begin(task, i))) continue;
      for (const StepAccess& access : program.AccessesOf(step)) {
        points.push_back({{{ActorOf(task, step), access.kind, access.resource},
                           access.occurrence,
                           i,
                           access.slot},
                          graph.Begin(task, i),
                          graph.End(program, task, i)});
      }
    }
  }
  return points;
}

bool Share(const Program& program, const AccessPoint& a, const AccessPoint& b) {
  for (const Footprint& one : program.footprints[a.what.resource][a.slot]) {
    for (const Footprint& other : program.footprints[b.what.resource][b.slot]) {
      if (Overlap(one, other)) return true;
    }
  }
  return false;
}

bool Covers(const Program& program, const AccessPoint& write, MemorySpace space, UnitOffset unit,
            Partition partition) {
  const auto& footprints = program.footprints[write.what.resource][write.slot];
  return std::any_of(footprints.begin(), footprints.end(), [&](const Footprint& footprint) {
    return footprint.space == space && footprint.range.Contains(unit) &&
           footprint.partitions.Contains(partition);
  });
}

}  // namespace

std::vector<Race> NaiveRaces(const PipelineSystem& system, const Program& program,
                             const EventGraph& graph) {
  const NaiveOrder order(program, graph);
  const std::vector<Point> points = PointsOf(program, graph, order);
  std::map<std::pair<Names, Names>, Race> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const Point& a = points[i];
      const Point& b = points[j];
      if (!Conflict(a.point, b.point) || !Share(program, a.point, b.point)) continue;
      if (order.Before(a.end, b.begin) || order.Before(b.end, a.begin)) continue;
      const Race race = MakeRace(system, program, a.point, b.point);
      const auto [at, is_new] = found.emplace(
          std::pair(NamesOf(system, race.a.what), NamesOf(system, race.b.what)), race);
      if (!is_new && std::pair(race.a.occurrence, race.b.occurrence) <
                         std::pair(at->second.a.occurrence, at->second.b.occurrence))
        at->second = race;
    }
  }
  std::vector<Race> races;
  for (const auto& [names, race] : found) races.push_back(race);
  return races;
}

ReachingWrites NaiveClobbers(const PipelineSystem& system, const Program& program,
                             const EventGraph& graph) {
  const NaiveOrder order(program, graph);
  const std::vector<Point> points = PointsOf(program, graph, order);
  const auto is_before = [&](const Point& a, const Point& b) {
    const Actor& actor = a.point.what.actor;
    if (actor == b.point.what.actor && actor.kind == SideKind::kMatrix)
      return a.point.step < b.point.step;
    return order.Before(a.end, b.begin);
  };
  std::map<std::pair<Names, Names>, Clobber> clobbers;
  std::map<Names, AccessPoint> uninitialized;
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
            const auto [at, is_new] =
                uninitialized.emplace(NamesOf(system, read.point.what), read.point);
            if (!is_new && read.point.occurrence < at->second.occurrence) at->second = read.point;
          }
          for (const Point* write : before) {
            if (std::any_of(before.begin(), before.end(),
                            [&](const Point* other) { return is_before(*write, *other); }))
              continue;
            const ResourceId written = write->point.what.resource;
            if (written == read.point.what.resource ||
                std::count(resource.shares.begin(), resource.shares.end(), written) > 0)
              continue;
            const auto [at, is_new] = clobbers.emplace(
                std::pair(NamesOf(system, read.point.what), NamesOf(system, write->point.what)),
                Clobber{read.point, write->point});
            if (!is_new && std::pair(read.point.occurrence, write->point.occurrence) <
                               std::pair(at->second.read.occurrence, at->second.write.occurrence))
              at->second = {read.point, write->point};
          }
        }
      }
    }
  }
  ReachingWrites found;
  for (const auto& [names, clobber] : clobbers) found.clobbers.push_back(clobber);
  for (const auto& [names, read] : uninitialized) found.uninitialized.push_back(read);
  return found;
}

}  // namespace spillway::task
