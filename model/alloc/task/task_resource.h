// What a task works on: memory that it declares once, and possibly a pipeline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/alloc/task/region.h"
#include "model/alloc/task/staged_pipeline.h"

namespace spillway::task {

/// [begin, end) of one space.
struct PhysicalRange {
  MemorySpace space = MemorySpace::kSmem;
  Interval<UnitOffset> range;
  friend bool operator==(const PhysicalRange&, const PhysicalRange&) = default;
};

/// A resource makes each region once, in its constructor, and returns the same handles on every
/// query: allocators write offsets into them, and alias groups know members by identity.
/// Source: seed 001 (get_smem_requirements, get_tmem_requirements); ts_pipelines.md §1.
class TaskResource {
 public:
  TaskResource() = default;
  TaskResource(const TaskResource&) = delete;
  TaskResource& operator=(const TaskResource&) = delete;
  virtual ~TaskResource() = default;

  virtual const std::string& name() const = 0;
  virtual std::vector<RegionHandle<Smem>> SmemRequirements() const { return {}; }
  virtual std::vector<RegionHandle<Tmem>> TmemRequirements() const { return {}; }
  /// Null: no pipeline.
  virtual PipelinePointer pipeline() const { return nullptr; }
  /// Where it has no pipeline: whose slot number selects its stage; null: it has one stage.
  virtual PipelinePointer SlotOf() const { return nullptr; }
  /// Resources whose writes a read through this one may see.
  virtual std::vector<const TaskResource*> Shares() const { return {}; }
  /// Whether it holds data before the first task runs.
  virtual bool IsInitial() const { return false; }

  /// Of all requirements, SMEM first. Errors: layout.missing.
  Result<std::vector<PhysicalRange>> PhysicalRanges() const;
};

/// The requirements of a resource, asked for twice.
/// Errors: requirement-not-cached.
Result<std::vector<RegionHandle<Smem>>> CachedSmemRequirements(const TaskResource& resource);
Result<std::vector<RegionHandle<Tmem>>> CachedTmemRequirements(const TaskResource& resource);

}  // namespace spillway::task
