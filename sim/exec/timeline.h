// A run as a trace that ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"
#include "sim/exec/sim_report.h"

namespace spillway {

/// A bar on a track.
struct TimelineSlice {
  int track = 0;
  InstanceId instance;
  Picoseconds begin;
  Picoseconds end;
  friend bool operator==(const TimelineSlice&, const TimelineSlice&) = default;
};

/// One track per compute engine, and one or more per DMA queue: transfers of one queue overlap in
/// flight, and bars on one track never do.
struct Timeline {
  std::vector<std::string> tracks;    ///< names, engines first
  std::vector<TimelineSlice> slices;  ///< by instance; instances that never started have none
};

/// Bars from start to end of every instance; one that started and never ended lasts until the end
/// of the run.
Timeline LayOutTimeline(const SimReport& report);

/// Chrome trace events in JSON, times in microseconds with picosecond digits. Byte-identical
/// between runs.
void WriteTimeline(std::ostream& out, const Kernel& kernel, const SimReport& report);

/// Errors: kFile ("cannot-write").
Result<void> WriteTimelineFile(const std::string& path, const Kernel& kernel,
                               const SimReport& report);

}  // namespace spillway
