// One kernel through the whole of Spillway, stage by stage.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/alloc/allocate.h"
#include "sim/exec/sim_report.h"
#include "sim/tool/options.h"
#include "sim/tool/run_report.h"

namespace spillway {

/// Says what is being done now, for a person who waits; may be empty.
using Progress = std::function<void(const std::string& stage)>;

/// What a run leaves behind for reports, besides its numbers.
struct KernelRun {
  RunReport report;
  std::optional<Target> target;
  std::optional<Allocation> allocation;
  std::optional<SimReport> simulation;
};

/// read -> allocate -> check -> estimate -> simulate beside the reference -> compare. A placement
/// that a checker rejects isn't simulated. With more than one thread the reference runs beside the
/// simulation; the result is the same.
KernelRun RunKernel(const std::string& file, const ToolOptions& options, const Progress& progress);

/// read -> allocate -> check.
KernelRun AllocateKernel(const std::string& file, const ToolOptions& options,
                         const Progress& progress);

/// read -> check: every on-chip tensor must have its place. With `mixing_per_space` one of the
/// memories may have none at all: what lies in the other is checked, and a remark names the rest.
KernelRun CheckKernel(const std::string& file, const ToolOptions& options,
                      const Progress& progress);

/// read -> check -> estimate and simulate as it is, even with violations that the machine can play.
KernelRun ReplayKernel(const std::string& file, const ToolOptions& options,
                       const Progress& progress);

}  // namespace spillway
