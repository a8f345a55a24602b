#include "sim/task/replay_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/alloc/task/codes.h"
#include "sim/task/actor_clocks.h"
#include "sim/task/written_values.h"

namespace spillway::task {
namespace {

__extension__ using Wide = __int128;

/// Sentences about broken barriers: the first tell it all.
constexpr std::size_t kMostBroken = 16;

/// Who made the arrival, and so whose clock it carries.
SideKind CarrierOf(ArrivalTime time) {
  switch (time) {
    case ArrivalTime::kTransfer: return SideKind::kDma;
    case ArrivalTime::kMatrix: return SideKind::kMatrix;
    default: return SideKind::kThread;
  }
}

/// Follows a run with clocks, shadows and values.
class Watcher final : public TaskObserver {
 public:
  Watcher(const PipelineSystem& system, const Program& program, const MemoryCells& cells,
          const std::vector<AccessDetail>& details)
      : program_(program),
        clocks_(system, program),
        shadow_(system, program, cells, details),
        values_(program),
        seen_(program.accesses.size(), 0) {}

  void OnBegin(TaskStreamId stream, std::uint32_t step) override {
    const TaskId task(stream.value);
    const Step& its = program_.steps[task][step];
    clocks_.Begin(task, step);
    if (its.access_count == 0) return;
    values_.Begin(task, step);
    shadow_.Begin(task, its, clocks_);
  }
  void OnEnd(TaskStreamId stream, std::uint32_t step) override {
    const TaskId task(stream.value);
    const Step& its = program_.steps[task][step];
    clocks_.End(task, step);
    if (its.access_count == 0) return;
    shadow_.Read(its, seen_);
    values_.End(task, step, seen_);
    shadow_.Write(its, values_.values());
  }
  void OnArrival(TaskStreamId stream, std::uint32_t step, std::uint32_t tag,
                 ArrivalTime time) override {
    clocks_.Arrive(TaskId(stream.value), step, tag, CarrierOf(time));
  }
  // The clocks say who may lag, in this run or another one.
  void OnSkew(TaskStreamId, std::uint32_t, SyncObjectId) override { ++skews_; }

  const ActorClocks& clocks() const { return clocks_; }
  const SeenFindings& findings() const { return shadow_.findings(); }
  std::vector<std::uint64_t> TakeSeen() { return std::move(seen_); }
  std::int64_t skews() const { return skews_; }

 private:
  const Program& program_;
  ActorClocks clocks_;
  ShadowMemory shadow_;
  WrittenValues values_;
  std::vector<std::uint64_t> seen_;
  std::int64_t skews_ = 0;
};

std::string Describe(const PipelineSystem& system, const MissingPart& missing) {
  const std::string& pipeline = system.pipelines[missing.waiter.pipeline].name;
  const bool fills = missing.waiter.kind == OperationKind::kWait;
  return fmt::format("{} #{} of {} went on before {} #{} was complete",
                     OperationKindName(missing.waiter.kind), missing.waiter.number, pipeline,
                     fills ? "fill" : "drain", missing.number);
}

std::int64_t WorkOf(const Program& program, const MemoryCells& cells,
                    const std::vector<AccessDetail>& details, std::size_t components) {
  Wide work = Wide{program.parts.size()} * components;
  for (const std::vector<Step>& steps : program.steps) work += Wide{steps.size()};
  // An access looks at all groups that touch its cells.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> accesses;  // by group and slot
  std::vector<std::int64_t> groups(cells.size(), 0);
  for (std::size_t i = 0; i < program.accesses.size(); ++i) {
    const StepAccess& access = program.accesses[i];
    if (++accesses[{details[i].group, access.slot}] > 1) continue;
    for (const std::uint32_t cell : cells.Of(access.resource, access.slot)) ++groups[cell];
  }
  for (std::size_t i = 0; i < program.accesses.size(); ++i) {
    const StepAccess& access = program.accesses[i];
    const auto of_group = accesses.extract({details[i].group, access.slot});
    if (of_group.empty()) continue;
    std::int64_t looks = 0;
    for (const std::uint32_t cell : cells.Of(access.resource, access.slot)) looks += groups[cell];
    work += Wide{of_group.mapped()} * looks;
  }
  return static_cast<std::int64_t>(std::min<Wide>(work, kMaxReplayWork + 1));
}

/// At any time of a run some step keeps its actor busy, or an arrival wakes who waits for it.
/// Jitter at most doubles what a step takes; packets that come at once, and work that was held
/// back, wait a picosecond each.
Picoseconds LongestRun(const TaskMachineProgram& machine) {
  Wide longest = Wide{machine.arrivals.size()} * machine.wake_latency.value;
  for (const std::vector<StreamStep>& steps : machine.streams) {
    for (const StreamStep& step : steps)
      longest += 2 * (Wide{step.busy.value} + step.latency.value) + step.packets + 2;
  }
  return Picoseconds(static_cast<std::int64_t>(std::min<Wide>(longest, kMaxReplayTime.value + 1)));
}

/// Nothing, or why steps that take so long aren't played.
std::optional<Error> CheckTime(Picoseconds longest) {
  constexpr std::int64_t kPicosecondsPerMillisecond = 1'000'000'000;
  if (longest > kMaxReplayTime) {
    return MakeError(
        Code::kLimit,
        fmt::format("tasks: expected steps that take at most {} ms one after the other to replay, "
                    "found more; fewer iterations or smaller regions would show the same",
                    kMaxReplayTime.value / kPicosecondsPerMillisecond));
  }
  // Both layouts of a comparison are prepared before one is played.
  const Picoseconds left = TaskMachine::Instance().TimeLeft();
  if (2 * longest.value > left.value) {
    return MakeError(Code::kLimit,
                     fmt::format("tasks: expected steps that take at most the {} ms that the "
                                 "machine's clock has left, found more; fewer files at a time help",
                                 left.value / 2 / kPicosecondsPerMillisecond));
  }
  return std::nullopt;
}

}  // namespace

ReplayProgram::ReplayProgram(const PipelineSystem& system, const Program& program,
                             MemoryCells cells, CompiledReplay compiled)
    : system_(&system),
      program_(&program),
      cells_(std::move(cells)),
      compiled_(std::move(compiled)),
      details_(DetailAccesses(system, program)) {}

Result<ReplayProgram> ReplayProgram::Prepare(const PipelineSystem& system, const Program& program,
                                             const Target& target) {
  if (program.steps.size() > TaskMachine::kMaxStreams) {
    return Fail(
        MakeError(Code::kLimit, fmt::format("tasks: expected at most {} to replay, found {}",
                                            TaskMachine::kMaxStreams, program.steps.size())));
  }
  Result<MemoryCells> cells = MemoryCells::Cut(program);
  if (!cells) return Fail(std::move(cells.error()));
  const std::int64_t work = WorkOf(program, *cells, DetailAccesses(system, program),
                                   ActorClocks(system, program).components());
  if (work > kMaxReplayWork) {
    return Fail(MakeError(
        Code::kLimit,
        fmt::format("tasks: expected a replay that looks at up to {} pieces of memory and numbers "
                    "of clocks, found more; fewer iterations would show the same",
                    kMaxReplayWork)));
  }
  CompiledReplay compiled = CompileReplay(system, program, target);
  const Picoseconds longest = LongestRun(compiled.machine);
  if (std::optional<Error> error = CheckTime(longest)) return Fail(std::move(*error));
  ReplayProgram prepared(system, program, std::move(*cells), std::move(compiled));
  prepared.work_ = work;
  prepared.longest_ = longest;
  return prepared;
}

ReplayRun ReplayProgram::Run(const CompiledReplay& compiled,
                             const TaskMachineOptions& options) const {
  Watcher watcher(*system_, *program_, cells_, details_);
  TaskMachineRun machine = TaskMachine::Instance().Run(compiled.machine, watcher, options);
  ReplayRun run;
  run.time = machine.time;
  run.findings = watcher.findings();
  for (const MissingPart& missing : watcher.clocks().missing()) {
    if (run.broken.size() == kMostBroken) break;
    run.broken.push_back(Describe(*system_, missing));
  }
  if (system_->barriers != BarrierStorage::kNone) run.lagging = watcher.clocks().Lagging();
  if (watcher.skews() > 0 && run.lagging.empty())
    run.broken.push_back("a waiter lagged two phases of its barrier, which no clock knows of");
  for (std::size_t i = 0; i < compiled.places.size(); ++i) {
    const SyncPlace& place = compiled.places[SyncObjectId(i)];
    const SyncObjectEnd& end = machine.objects[SyncObjectId(i)];
    // The watchdog: nothing can happen any more, and bytes are still awaited.
    if (end.barrier.pending_bytes > Bytes(0) && run.broken.size() < kMostBroken) {
      run.broken.push_back(fmt::format("{}: {} announced bytes never arrived",
                                       SyncPlaceName(*system_, place),
                                       end.barrier.pending_bytes.value));
    }
    if (end.overflown)
      run.overflows.push_back({place.pipeline, place.side, place.contributor, end.value});
  }
  for (const std::uint32_t begun : machine.steps_begun) run.steps_begun.push_back(begun);
  run.objects = std::move(machine.objects);
  run.seen = watcher.TakeSeen();
  return run;
}

}  // namespace spillway::task
