#include "sim/task/played_latency.h"

#include <algorithm>

#include "model/hw/clock.h"
#include "model/hw/timing/dma_cost.h"

namespace spillway::task {
namespace {

__extension__ using Wide = __int128;

/// Larger than any memory, and so small that no sum or product below leaves 64 bits: beyond them,
/// sizes and times aren't told apart.
constexpr std::int64_t kMostRowBytes = std::int64_t{1} << 41;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 49;
constexpr std::int64_t kMostTime = std::int64_t{1} << 60;

constexpr std::int64_t AtMost(std::int64_t most, Wide number) {
  return number < most ? static_cast<std::int64_t>(number) : most;
}

constexpr std::int64_t CeilingOf(std::int64_t a, std::int64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// Rows of partitions and the bytes of one row.
struct Extent {
  std::int64_t rows = 1;
  std::int64_t row_bytes = 0;
};

Extent ExtentOf(const Footprint& footprint, const Target& target) {
  const std::int64_t units = (footprint.range.end - footprint.range.begin).value;
  const std::int64_t lanes = (footprint.partitions.end - footprint.partitions.begin).value;
  switch (footprint.space) {
    case MemorySpace::kSmem: {
      const std::int64_t rows = target.sbuf_partitions.value.value;
      return {rows, CeilingOf(units, rows)};
    }
    case MemorySpace::kTmem:
      return {lanes, AtMost(kMostRowBytes, Wide{units} * target.oracle_element_bytes.value.value)};
    default: return {lanes, units};
  }
}

/// What all accesses of a step to one direction move.
struct Moved {
  std::int64_t rows = 1;
  std::int64_t row_bytes = 0;
  std::int64_t bytes = 0;
};

void Add(Moved& moved, const Program& program, const StepAccess& access, const Target& target) {
  for (const Footprint& footprint : program.FootprintsOf(access)) {
    const Extent extent = ExtentOf(footprint, target);
    moved.rows = std::max(moved.rows, extent.rows);
    moved.row_bytes = AtMost(kMostRowBytes, Wide{moved.row_bytes} + extent.row_bytes);
    moved.bytes = AtMost(kMostBytes, Wide{moved.bytes} + Wide{extent.rows} * extent.row_bytes);
  }
}

Picoseconds EngineTime(const Target& target, std::int64_t elements, std::int64_t hertz) {
  const Cycles row(std::max(target.min_issue_interval.value.value, elements));
  return DurationOf(target.access_start.value + row + target.static_overhead.value, hertz);
}

}  // namespace

PlayedLatency LatencyOf(const Program& program, const Step& step, const Target& target) {
  Moved reads;
  Moved writes;
  bool is_use = false;
  for (const StepAccess& access : program.AccessesOf(step)) {
    Add(access.kind == AccessKind::kRead ? reads : writes, program, access, target);
    is_use = is_use || access.kind == AccessKind::kUse;
  }
  const Moved& larger = reads.bytes > writes.bytes ? reads : writes;
  const std::int64_t elements =
      CeilingOf(larger.row_bytes, target.oracle_element_bytes.value.value);
  PlayedLatency latency;
  latency.busy = DurationOf(target.min_issue_interval.value, target.sp_hertz);
  switch (step.kind) {
    case OperationKind::kAccess:
      latency.busy = EngineTime(target, elements * (is_use ? 2 : 1), target.dve_hertz);
      break;
    case OperationKind::kMatrix:
      latency.latency = EngineTime(target, elements, target.pe_hertz);
      break;
    case OperationKind::kDma: {
      const std::int64_t descriptors = CeilingOf(larger.rows, target.dma_engines);
      const Picoseconds each =
          DescriptorTime(target, Bytes(larger.row_bytes), DescriptorKind::kContiguous);
      latency.latency = Picoseconds(AtMost(
          kMostTime, Wide{target.dma_start_latency.value.value} + Wide{descriptors} * each.value));
      latency.bytes = Bytes(larger.bytes);
      break;
    }
    default: break;
  }
  return latency;
}

}  // namespace spillway::task
