// The definitions of order, race and clobber taken literally, over all pairs: what the engines'
// short cuts are compared with.
#pragma once

#include <vector>

#include "model/alloc/check_task/event_graph.h"
#include "model/alloc/check_task/find_clobbers.h"
#include "model/alloc/check_task/find_races.h"

namespace spillway::task {

/// The transitive order of the events that happen.
class NaiveOrder {
 public:
  NaiveOrder(const Program& program, const EventGraph& graph);

  bool Happens(EventId event) const { return happens_[event.value]; }
  bool Before(EventId a, EventId b) const { return before_[a.value][b.value]; }

 private:
  std::vector<bool> happens_;
  std::vector<std::vector<bool>> before_;  ///< [a][b]: a -> b
};

/// As FindRaces.
std::vector<Race> NaiveRaces(const PipelineSystem& system, const Program& program,
                             const EventGraph& graph);
/// As FindClobbers, unit by unit and partition by partition of 32.
ReachingWrites NaiveClobbers(const PipelineSystem& system, const Program& program,
                             const EventGraph& graph);

}  // namespace spillway::task
