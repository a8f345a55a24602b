// What every piece of memory remembers of those who touched it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/alloc/task/program.h"
#include "sim/task/actor_clocks.h"
#include "sim/task/memory_cells.h"
#include "sim/task/played_access.h"

namespace spillway::task {

using PlayedPair = std::pair<PlayedAccess, PlayedAccess>;

/// Two accesses whose clocks don't order them, whatever this run's timing was.
struct SeenRace {
  PlayedAccess earlier;  ///< which began first in this run
  PlayedAccess later;
  friend auto operator<=>(const SeenRace&, const SeenRace&) = default;
};

/// A read that got what another resource's write left there.
struct SeenClobber {
  PlayedAccess read;
  PlayedAccess write;
  friend auto operator<=>(const SeenClobber&, const SeenClobber&) = default;
};

/// A read that got another fill than the one that it waited for, of its own resource or of one that
/// it shares. No finding: the last write is one that it may see (§8), and whether a fill brings all
/// bytes anew is for the author to know.
struct SeenStale {
  PlayedAccess read;
  PlayedAccess write;
  std::int64_t expected = 0;  ///< the fill that the task waited for last
  std::int64_t found = 0;     ///< the fill that the writing task had acquired
  friend auto operator<=>(const SeenStale&, const SeenStale&) = default;
};

/// For each pair of classes, or class, the smallest occurrences that were seen.
struct SeenFindings {
  std::map<std::pair<PlayedClass, PlayedClass>, SeenRace> races;
  /// Both in progress at once in this run; the one that began first stands first.
  std::map<std::pair<PlayedClass, PlayedClass>, SeenRace> overlaps;
  std::map<std::pair<PlayedClass, PlayedClass>, SeenClobber> clobbers;
  std::map<std::pair<PlayedClass, PlayedClass>, SeenStale> stale;
  std::map<PlayedClass, PlayedAccess> uninitialized;
};

/// The program's accesses, by index into Program::accesses.
struct AccessDetail {
  PlayedAccess access;
  /// Accesses of one class whose operations complete the same parts: who knows that one is over
  /// knows it of those before it.
  std::uint32_t group = 0;
  /// Of the ring's own resource, where the task opens only that side: the number of the fill.
  std::optional<std::int64_t> fill;
};
std::vector<AccessDetail> DetailAccesses(const PipelineSystem& system, const Program& program);

/// For every cell: the last write, and of each group of accesses the last one and how many are in
/// progress. Accesses are checked when they begin, reads compare what they find when they end, and
/// writes land when they end.
/// Source: ts_pipelines.md §9, engine 4; §8 for races, clobbers and `shares`.
class ShadowMemory {
 public:
  ShadowMemory(const PipelineSystem& system, const Program& program, const MemoryCells& cells,
               const std::vector<AccessDetail>& details);

  /// All accesses of `step` begin; `clocks` know what the task knows now.
  void Begin(TaskId task, const Step& step, const ActorClocks& clocks);
  /// The reads of `step` compare; what each saw goes into `seen`, by index into Program::accesses:
  /// a sum over its bytes that doesn't depend on where the memory lies or how it is cut.
  void Read(const Step& step, std::vector<std::uint64_t>& seen);
  /// The writes of `step` land, each with its value, by index into Program::accesses.
  void Write(const Step& step, const std::vector<std::uint64_t>& values);

  const SeenFindings& findings() const { return findings_; }

 private:
  /// What the last operation that wrote a cell left there: one of its writes, or several.
  struct Tag {
    std::uint32_t access = 0;
    std::uint64_t value = 0;
  };
  struct Toucher {
    std::uint32_t group = 0;
    std::uint32_t access = 0;       ///< the last of the group that began
    std::uint32_t in_progress = 0;  ///< of the group
  };
  struct Cell {
    std::vector<Tag> tags;
    std::vector<Toucher> touchers;
  };
  /// What `findings_` holds for the classes of two groups.
  struct KnownPair {
    const SeenRace* race = nullptr;
    const SeenRace* overlap = nullptr;
  };

  template <class Visit>
  void EachAccess(const Step& step, const Visit& visit) const;
  void Check(std::uint32_t access, const Cell& cell, TaskId task, const ActorClocks& clocks);
  void Compare(std::uint32_t read, const Tag& tag);
  /// Whether the operation itself writes the cell, as where matrix work accumulates: its reads then
  /// need no write before it.
  bool WritesItself(const Step& step, std::uint32_t cell) const;
  std::uint64_t SumOver(ResourceId resource, const MemoryCell& cell, std::uint64_t value) const;

  const PipelineSystem& system_;
  const Program& program_;
  const MemoryCells& cells_;
  const std::vector<AccessDetail>& details_;
  std::vector<Cell> shadow_;
  /// Of each resource in each space the first unit that it ever touches.
  IdVector<ResourceId, PerSpace<std::int64_t>> origins_;
  SeenFindings findings_;
  std::unordered_map<std::uint64_t, KnownPair> known_;  ///< by both groups
};

}  // namespace spillway::task
