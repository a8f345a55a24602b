#include "sim/tool/rings_report.h"

#include <filesystem>
#include <utility>

#include "model/alloc/place_homes.h"
#include "model/alloc/rings/kernel_rings.h"
#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "sim/lower/lower_kernel.h"
#include "sim/lower/lowered_waits.h"
#include "sim/tool/json_report.h"
#include "sim/tool/rings_file.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

/// Findings that get a run of their own; the others are of the same kinds.
constexpr std::size_t kMaxWitnesses = 3;

Result<SystemFindings> Check(task::PipelineSystem system) {
  Result<task::SystemLayout> layout = task::LayOutSystem(system);
  if (!layout) return Fail(std::move(layout.error()));
  const Result<task::Program> program = task::Unroll(system, *layout);
  if (!program) return Fail(program.error());
  Result<task::Verdict> verdict = task::CheckSystem(system, *program);
  if (!verdict) return Fail(std::move(verdict.error()));
  auto findings = task::DescribeVerdict(system, *program, *verdict,
                                        verdict->events > kMostWitnessEvents ? 0 : kMaxWitnesses);
  if (!findings) return Fail(std::move(findings.error()));
  SystemFindings found;
  found.events = verdict->events;
  found.judged.system = std::move(system);
  found.judged.layout = std::move(*layout);
  found.judged.verdict = std::move(*verdict);
  found.judged.findings = std::move(*findings);
  return found;
}

class Checker {
 public:
  Checker(const std::string& file, const std::string& output) : output_(output) {
    report_.file = file;
  }

  RingsReport Run() {
    if (std::optional<Error> error = Judge()) {
      if (error->file.empty()) error->file = report_.file;
      report_.error = std::move(*error);
    }
    return std::move(report_);
  }

 private:
  std::optional<Error> Judge() {
    Result<Kernel> kernel = ReadKernelFile(report_.file);
    if (!kernel) return std::move(kernel.error());
    report_.kernel = kernel->name;
    const Result<Target> target = FindTarget(kernel->target);
    if (!target) return target.error();
    Result<rings::KernelRings> rings =
        rings::DeriveRings(*kernel, FixedPlacement(*kernel), *target);
    if (!rings) return std::move(rings.error());
    report_.instances = static_cast<std::int64_t>(rings->work.instances.size());
    for (const rings::Stream& stream : rings->work.streams) report_.streams.push_back(stream.name);
    report_.semaphores = rings->semaphores;
    report_.pipelines =
        static_cast<std::int64_t>(rings->system.pipelines.size()) - rings->semaphores;
    for (std::size_t i = 0; i < rings->tensors.size(); ++i) AddRow(*kernel, *rings, i);
    report_.is_cut = rings->cut.has_value();
    if (!output_.empty()) Write(rings->system);
    Result<SystemFindings> found = Check(std::move(rings->cut ? *rings->cut : rings->system));
    if (found) report_.rings = std::move(*found);
    // A bound of one system says nothing about the other one.
    std::optional<Error> error = CheckLowered(*kernel, *target);
    return found ? std::move(error) : std::optional(std::move(found.error()));
  }

  void Write(const task::PipelineSystem& system) {
    const Result<std::string> text = PipelineFileOf(system, output_);
    if (!text) {
      report_.not_written = text.error();
    } else if (const Result<void> written = WriteText(output_, *text); !written) {
      report_.not_written = written.error();
    } else {
      report_.written = output_;
    }
  }

  void AddRow(const Kernel& kernel, const rings::KernelRings& rings, std::size_t i) {
    const rings::TensorRing& from = rings.tensors[i];
    const Tensor& tensor = kernel.tensors[from.tensor];
    RingRow row;
    row.tensor = tensor.name;
    row.space = tensor.space;
    row.fills = from.fills;
    row.stages = from.places;
    row.stage_bytes = BlockBytes(tensor);
    row.is_pipeline = from.pipeline.has_value();
    row.reason = from.refusal;
    if (row.stages > 1) {
      // Places that don't take turns aren't a ring of any depth.
      const bool rotates = !row.reason || row.reason->code != "ring-places";
      const Result<rings::RingDepth> depth = rings::FindDepth(
          kernel, rings.work, rings.fills[i], rotates ? std::optional(row.stages) : std::nullopt);
      if (depth) {
        row.depth = *depth;
      } else {
        row.unknown = depth.error();
      }
      if (from.pipeline) {
        const auto live =
            rings::FewestLiveStages(rings.cut ? *rings.cut : rings.system, *from.pipeline);
        if (live) row.live = *live;
      }
    }
    report_.rows.push_back(std::move(row));
  }

  std::optional<Error> CheckLowered(const Kernel& kernel, const Target& target) {
    const Result<Allocation> placed = AllocateHomes(kernel, target);
    if (!placed) return placed.error();
    const Result<LoweredKernel> lowered = LowerKernel(placed->kernel, placed->placement, target);
    if (!lowered) return lowered.error();
    const Result<LoweredWaits> waits = WaitsOf(placed->kernel, lowered->program);
    if (!waits) return waits.error();
    Result<task::PipelineSystem> system = rings::PlacementSystem(placed->kernel, placed->placement,
                                                                 target, waits->work, waits->waits);
    if (!system) return std::move(system.error());
    Result<SystemFindings> found = Check(std::move(*system));
    if (!found) return std::move(found.error());
    found->waits = static_cast<std::int64_t>(waits->waits.size());
    report_.placement = std::move(*found);
    return std::nullopt;
  }

  const std::string& output_;
  RingsReport report_;
};

}  // namespace

Bytes RingRow::Spare() const {
  if (!depth || IsTooShort() || stages <= depth->needed) return Bytes(0);
  if (reason && reason->code == "ring-places") return Bytes(0);
  return stage_bytes * (stages - depth->needed);
}

std::string RingsReport::VerdictName() const {
  bool is_clean = true;
  for (const RingRow& row : rows) is_clean = is_clean && !row.IsTooShort();
  for (const std::optional<SystemFindings>* found : {&rings, &placement})
    is_clean = is_clean && (!*found || (*found)->judged.findings.empty());
  if (error && error->kind != Kind::kLimit)
    return error->kind == Kind::kCapacity ? "cannot-allocate" : "bad-input";
  if (!is_clean) return "fail";
  return error ? "inconclusive" : "pass";
}

int RingsReport::ExitCode() const {
  const std::string verdict = VerdictName();
  if (verdict == "cannot-allocate") return 4;
  if (verdict == "bad-input" || not_written) return 3;
  return verdict == "pass" ? 0 : 1;
}

bool IsKernelFile(const std::string& file) {
  return file.ends_with(".kernel.jsonl") || file.ends_with(".kernel.jsonl.zst");
}

RingsReport CheckKernelRings(const std::string& file, const std::string& output) {
  return Checker(file, output).Run();
}

}  // namespace spillway
