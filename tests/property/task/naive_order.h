// The definitions of order, race and clobber taken literally, over all pairs: what the engines'
// short cuts are compared with. Nothing here knows an event graph or a rule of the engines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/alloc/check_task/check_system.h"

namespace spillway::task {

/// The events of a program, numbered, and the edges that §8 draws between them.
struct NaiveGraph {
  std::size_t events = 0;
  IdVector<TaskId, std::vector<std::size_t>> begin_of;       ///< each step's first event
  IdVector<TaskId, std::vector<std::size_t>> end_of;         ///< each step's last event
  std::vector<std::pair<std::size_t, std::size_t>> own;      ///< within a task and its units
  std::vector<std::pair<std::size_t, std::size_t>> between;  ///< from parts to waits and acquires
  std::vector<std::size_t> dead;
};
/// Source: ts_pipelines.md §8, Events and Order.
NaiveGraph NaiveGraphOf(const PipelineSystem& system, const Program& program);

/// The transitive order of the events that happen.
class NaiveOrder {
 public:
  explicit NaiveOrder(const NaiveGraph& graph);

  bool Happens(std::size_t event) const { return happens_[event]; }
  bool Before(std::size_t a, std::size_t b) const { return before_[a][b]; }

 private:
  std::vector<bool> happens_;
  std::vector<std::vector<bool>> before_;  ///< [a][b]: a -> b
};

/// As FindRaces.
std::vector<Race> NaiveRaces(const PipelineSystem& system, const Program& program,
                             const NaiveGraph& graph);

/// The first unit and partition of 32 at which a clobber shows.
struct NaiveClobber {
  AccessPoint read;
  AccessPoint write;
  UnitOffset unit;
  Partition partition;
  friend bool operator==(const NaiveClobber&, const NaiveClobber&) = default;
};
struct NaiveUninitialized {
  AccessPoint read;
  UnitOffset unit;
  Partition partition;
  friend bool operator==(const NaiveUninitialized&, const NaiveUninitialized&) = default;
};
struct NaiveReachingWrites {
  std::vector<NaiveClobber> clobbers;
  std::vector<NaiveUninitialized> uninitialized;
  friend bool operator==(const NaiveReachingWrites&, const NaiveReachingWrites&) = default;
};
/// Where engine 3 found the same: the corner of each piece that it names.
NaiveReachingWrites CornersOf(const Verdict& verdict);
/// As FindClobbers, unit by unit and partition by partition of 32.
NaiveReachingWrites NaiveClobbers(const PipelineSystem& system, const Program& program,
                                  const NaiveGraph& graph);

}  // namespace spillway::task
