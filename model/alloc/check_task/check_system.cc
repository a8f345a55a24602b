#include "model/alloc/check_task/check_system.h"

#include <utility>

#include "model/alloc/check_task/happens_before.h"

namespace spillway::task {

Result<Verdict> CheckSystem(const PipelineSystem& system, const Program& program) {
  const Result<EventGraph> graph = BuildEventGraph(system, program);
  if (!graph) return Fail(graph.error());
  const Result<HappensBefore> order = HappensBefore::Build(program, *graph);
  if (!order) return Fail(order.error());
  const std::vector<AccessGroup> groups = GroupAccesses(program, order->execution());
  const Result<std::vector<GroupPair>> pairs = OverlappingGroups(program, groups);
  if (!pairs) return Fail(pairs.error());
  Result<ReachingWrites> reaching = FindClobbers(system, program, *order, groups, *pairs);
  if (!reaching) return Fail(std::move(reaching.error()));
  Verdict verdict;
  verdict.blocked = FindBlocked(system, program, order->execution());
  verdict.races = FindRaces(system, program, *order, groups, *pairs);
  verdict.clobbers = std::move(reaching->clobbers);
  verdict.uninitialized = std::move(reaching->uninitialized);
  verdict.structure = CheckStructure(system, program);
  verdict.events = EventCount(program);
  return verdict;
}

}  // namespace spillway::task
