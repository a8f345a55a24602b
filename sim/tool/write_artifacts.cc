#include "sim/tool/write_artifacts.h"

#include "sim/exec/timeline.h"
#include "sim/tool/csv_tables.h"

namespace spillway {

Result<void> WriteArtifacts(const KernelRun& run, const ToolOptions& options) {
  if (!options.timeline.empty() && run.simulation && run.allocation) {
    const Result<void> written =
        WriteTimelineFile(options.timeline, run.allocation->kernel, *run.simulation);
    if (!written) return written;
  }
  if (!options.tables.empty()) return WriteTables(run, options.tables);
  return {};
}

}  // namespace spillway
