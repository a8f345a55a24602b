#include "sim/tool/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "model/alloc/baseline/find_allocator.h"
#include "model/alloc/check/dataflow.h"
#include "model/alloc/check/placement_checker.h"
#include "model/alloc/check/races.h"
#include "model/alloc/check/reaching_writers.h"
#include "model/alloc/check/same_program.h"
#include "model/alloc/ir/without_places.h"
#include "model/alloc/nki/check_addresses.h"
#include "model/alloc/nki/check_tile_lifetimes.h"
#include "model/alloc/nki/stack_allocator.h"
#include "model/alloc/nki/tile_races.h"
#include "model/alloc/nki/verify_kernel.h"
#include "model/alloc/place_homes.h"
#include "sim/estimate/estimate.h"
#include "sim/exec/compare_data.h"
#include "sim/exec/executor.h"
#include "sim/lower/check_channels.h"
#include "sim/tool/check_limits.h"
#include "sim/tool/kernel_plan.h"
#include "sim/tool/oracle.h"
#include "sim/tool/stand_ins.h"
#include "sim/values/dump.h"
#include "sim/values/reference_interpreter.h"
#include "traces/kernel_reader.h"

namespace spillway {
namespace {

class Stopwatch {
 public:
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> lap = now - start_;
    start_ = now;
    return lap.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One kernel on its way: every stage takes it on unless an earlier one ended the run.
class Run {
 public:
  /// `goes_on`: even where what the kernel's author wrote breaks a rule.
  Run(const std::string& file, const ToolOptions& options, const Progress& progress,
      bool goes_on = false)
      : options_(options), progress_(progress), goes_on_(goes_on) {
    run_.report.file = file;
    run_.report.allocator = options.allocator;
    run_.report.data.mode = std::string(ValueModeName(options.values));
  }

  bool Read() {
    Say("reading");
    Stopwatch watch;
    Result<Kernel> kernel = ReadKernelFile(run_.report.file);
    run_.report.seconds.read = watch.Lap();
    if (!kernel) return End(Verdict::kBadInput, kernel.error());
    kernel_ = std::move(*kernel);
    RunReport& report = run_.report;
    report.kernel = kernel_.name;
    report.instructions = static_cast<std::int64_t>(kernel_.instructions.size());
    report.tensors = static_cast<std::int64_t>(kernel_.tensors.size());
    Result<KernelPlan> plan = PlanKernel(kernel_, options_);
    if (!plan) return End(Verdict::kBadInput, plan.error());
    plan_ = std::move(*plan);
    if (goes_on_) JudgeAsItStands();
    for (const std::string& note : plan_.notes) Remark(note);
    Result<Target> target = FindTarget(plan_.target);
    if (!target) return End(Verdict::kBadInput, target.error());
    run_.target = std::move(*target);
    report.target = run_.target->name;
    return CheckRoom() && CheckNames() && CheckAuthor();
  }

  bool Allocate() {
    if (plan_.author_places) return TakePlaced();
    Say("allocating");
    const Result<std::unique_ptr<Hwm>> hwm = MakeOracle(options_.oracle, *run_.target);
    if (!hwm) return End(Verdict::kBadInput, hwm.error());
    run_.report.oracle = options_.oracle;
    const Result<std::unique_ptr<Allocator>> allocator =
        FindAllocator(plan_.allocator, options_.allocator_limits);
    if (!allocator) return End(Verdict::kBadInput, allocator.error());
    run_.report.allocator = (*allocator)->name();
    Stopwatch watch;
    Result<Allocation> allocation = Place(**allocator, **hwm);
    run_.report.seconds.allocate = watch.Lap();
    if (!allocation) {
      const bool failed = allocation.error().kind == Kind::kAllocator;
      return End(failed ? Verdict::kFail : Verdict::kCannotAllocate, allocation.error());
    }
    run_.allocation = std::move(*allocation);
    if (options_.stack_log && !run_.report.stack) {
      Remark(fmt::format("the allocator {} keeps no log of a stack; --allocator {} does",
                         run_.report.allocator, nki::kStackAllocator));
    }
    NoteAllocation();
    AddCheck(CheckSameProgram(plan_.reallocate ? WithoutPlaces(kernel_) : kernel_,
                              run_.allocation->kernel));
    return true;
  }

  /// `may_leave_a_memory`: to an allocator, where the command line allows it.
  bool TakePlaced(bool may_leave_a_memory = false) {
    const LinearKernel linear = Linearize(kernel_);
    const CheckResult addresses = nki::CheckAddresses(linear);
    for (const Violation& missing : addresses.violations) {
      if (may_leave_a_memory && options_.mixing_per_space &&
          nki::IsAutomatic(linear, *missing.space)) {
        automatic_ = missing.space;
        Remark(
            fmt::format("{}; they are left to an allocator, and only what has a place is looked "
                        "at",
                        missing.text));
        continue;
      }
      if (run_.report.verdict == Verdict::kFail) return false;  // said already, and better
      return End(Verdict::kBadInput, NotPlaced(addresses));
    }
    Result<Allocation> allocation = AllocateHomes(kernel_, *run_.target);
    if (!allocation) return End(Verdict::kCannotAllocate, allocation.error());
    run_.allocation = std::move(*allocation);
    run_.report.allocator = kAsPlaced;
    NoteAllocation();
    return true;
  }

  /// False where the placement is illegal.
  bool Check() {
    Say("checking");
    Stopwatch watch;
    const LinearKernel linear = Linearize(run_.allocation->kernel);
    const CheckOptions limits{options_.sbuf_bytes, options_.psum_banks, automatic_};
    std::vector<CheckResult> checks =
        CheckPlacement(linear, run_.allocation->placement, *run_.target, limits);
    const Placement& placement = run_.allocation->placement;
    checks.push_back(CheckDataflow(kernel_, linear,
                                   automatic_ ? WithStandIns(linear.kernel, placement) : placement,
                                   *run_.target));
    checks.push_back(LifetimesOfTiles());
    run_.report.seconds.check = watch.Lap();
    for (CheckResult& check : checks) AddCheck(std::move(check));
    return run_.report.verdict == Verdict::kPass;
  }

  /// A second opinion on the time; without one, the run goes on.
  void Estimate() {
    Say("estimating");
    Stopwatch watch;
    const std::unique_ptr<Hwm> hwm = MakeClosedFormHwm(*run_.target);
    const Result<spillway::Estimate> estimate =
        EstimateTime(run_.allocation->kernel, run_.allocation->placement, *run_.target, *hwm);
    run_.report.seconds.estimate = watch.Lap();
    if (estimate) {
      run_.report.estimate = *estimate;
    } else {
      run_.report.estimate_note = estimate.error().message;
    }
  }

  void Simulate() {
    Stopwatch watch;
    const Result<Inputs> inputs = MakeInputs();
    if (!inputs) {
      End(Verdict::kBadInput, inputs.error());
      return;
    }
    // `kernel_` is what the program means; the allocated function is what runs.
    const auto interpret = [&] { return Interpret(kernel_, options_.values, *inputs); };
    const bool beside = options_.threads > 1 && options_.files.size() == 1;
    Say("simulating");
    std::future<Result<InterpreterReport>> reference =
        std::async(beside ? std::launch::async : std::launch::deferred, interpret);
    Result<SimReport> simulated = Execute(run_.allocation->kernel, run_.allocation->placement,
                                          *run_.target, options_.values, *inputs);
    if (simulated) {
      Say("computing the reference");
      if (const Result<InterpreterReport> expected = reference.get()) {
        run_.simulation = std::move(*simulated);
        run_.report.unpriced_ops = run_.simulation->lowered.unpriced_ops;
        CheckOrder(run_.simulation->lowered);
        Compare(*expected);
        Dump(*inputs);
      } else {
        End(Verdict::kFail, expected.error());
      }
    } else {
      End(Verdict::kFail, simulated.error());
    }
    run_.report.seconds.simulate = watch.Lap();
  }

  KernelRun Finish() { return std::move(run_); }

 private:
  void Say(const std::string& stage) const {
    if (progress_) progress_(stage);
  }

  bool End(Verdict verdict, Error error) {
    if (error.file.empty()) error.file = run_.report.file;
    run_.report.verdict = verdict;
    run_.report.error_kind = std::string(KindName(error.kind));
    run_.report.message = error.ToString();
    return false;
  }

  Result<Allocation> Place(const Allocator& allocator, const Hwm& hwm) {
    const AllocateOptions options{options_.sbuf_bytes, options_.psum_banks, plan_.reallocate,
                                  progress_, options_.best_of};
    if (plan_.allocator != nki::kStackAllocator)
      return allocator.Allocate(kernel_, *run_.target, hwm, options);
    // The same, and what an allocation has no room for.
    Result<nki::StackAllocation> made = nki::AllocateOnStack(kernel_, *run_.target, options);
    if (!made) return Fail(made.error());
    run_.report.stack = std::move(made->account);
    return std::move(made->allocation);
  }

  bool CheckRoom() {
    if (const std::optional<Error> error = CheckLimits(options_, *run_.target))
      return End(Verdict::kBadInput, *error);
    if (const std::optional<Error> error = CheckChannels(kernel_, *run_.target))
      return End(Verdict::kCannotAllocate, *error);
    return true;
  }

  // What names alone tell: a use before any definition is an error, a definition without a use a
  // note.
  bool CheckNames() {
    const LinearKernel linear = Linearize(kernel_);
    const StaticNotes notes = CheckDefinitions(linear);
    CheckResult check{"definitions", run_.report.tensors, {}};
    for (const TensorId id : notes.undefined_at_use) {
      const Tensor& tensor = kernel_.tensors[id];
      const PointId point = linear.accesses_of[id].front().point;
      check.violations.push_back(
          {Kind::kUninitializedRead,
           {tensor.name},
           tensor.space,
           std::nullopt,
           Interval<PointId>{point, PointId(point.value + 1)},
           fmt::format("{} is read by {} at point {} before anything defines it", tensor.name,
                       linear.instruction(point).op, point.value)});
    }
    AddCheck(std::move(check));
    if (const std::string unused = DescribeUnused(kernel_, notes); !unused.empty())
      run_.report.notes.push_back(unused);
    return run_.report.verdict == Verdict::kPass;
  }

  void Remark(const std::string& text) {
    run_.report.notes.push_back(text);
    run_.report.remarks.push_back(text);
  }

  // Nothing is allocated: the addresses that stand there are what is judged and played.
  void JudgeAsItStands() {
    plan_.notes.clear();
    if (plan_.reallocate) {
      plan_.notes.emplace_back(
          "the option force_auto_alloc has these addresses ignored; they are looked at all the "
          "same");
    }
    plan_.reallocate = false;
  }

  Error NotPlaced(const CheckResult& addresses) const {
    std::string text;
    for (const Violation& missing : addresses.violations)
      text += (text.empty() ? "" : "; ") + missing.text;
    text += plan_.author_places
                ? ". Expected \"at\" or \"alloc\" on each, since the kernel's options skip the "
                  "allocators; --reallocate brings them back"
                : ". Expected \"at\" or \"alloc\" on each, since nothing is allocated here; "
                  "`spillway alloc` gives places";
    return {Kind::kMixedAllocation, "not-placed", std::move(text), run_.report.file, 0};
  }

  // What NKI asks of a kernel whose author allocated directly; not if nobody looks at it.
  bool CheckAuthor() {
    const nki::KernelRules rules{.mixing = options_.mixing_per_space
                                               ? nki::MixingScope::kMemorySpace
                                               : nki::MixingScope::kKernel,
                                 .assigned = {},
                                 .limits = {options_.sbuf_bytes, options_.psum_banks}};
    if (!plan_.reallocate) AddCheck(nki::VerifyKernel(kernel_, *run_.target, rules));
    return run_.report.verdict == Verdict::kPass || goes_on_;
  }

  CheckResult LifetimesOfTiles() {
    nki::TileLifetimeReport tiles =
        nki::ReportTileLifetimes(run_.allocation->kernel, run_.allocation->placement, *run_.target);
    // What wasn't looked at must be said wherever the result is; advice is for `check`.
    if (!tiles.complete) {
      Remark(
          "tile-lifetimes: inconclusive: the kernel has more steps than the walk of its tiles; "
          "the other checks looked at all of it");
    }
    for (std::string& note : tiles.notes) run_.report.notes.push_back(std::move(note));
    return std::move(tiles.check);
  }

  void AddCheck(CheckResult check) {
    if (!check.violations.empty()) {
      if (run_.report.verdict == Verdict::kPass) {
        run_.report.message =
            fmt::format("check {} found {} violation{}: {}", check.name, check.violations.size(),
                        check.violations.size() == 1 ? "" : "s", check.violations.front().text);
      }
      run_.report.verdict = Verdict::kFail;
    }
    run_.report.checks.push_back(std::move(check));
  }

  void NoteAllocation() {
    const Allocation& allocation = *run_.allocation;
    RunReport& report = run_.report;
    report.spill.iterations = allocation.sbuf.iterations;
    report.spill.tensors =
        static_cast<std::int64_t>(allocation.sbuf.spilled.size()) + allocation.psum_spilled;
    report.spill.saves = allocation.sbuf.saves;
    report.spill.reloads = allocation.sbuf.reloads;
    report.spill.reloads_removed = allocation.sbuf.reloads_removed;
    report.spill.predicted_cycles = allocation.sbuf.predicted_cycles;
    for (const SpilledTensor& spilled : allocation.sbuf.spilled) {
      report.spill.per_tensor.emplace_back(spilled.name, spilled.predicted_cycles);
    }
    report.sbuf.capacity_bytes = options_.sbuf_bytes.value_or(run_.target->sbuf_usable_bytes);
    report.sbuf.high_water_bytes = allocation.sbuf.high_water_bytes;
    report.sbuf.peak_live_bytes = allocation.sbuf.peak_live_bytes;
    report.sbuf.quadrant_bytes = allocation.sbuf.quadrant_bytes;
    report.psum.banks = options_.psum_banks.value_or(UsablePsumBanks(*run_.target));
    report.psum.peak_banks = allocation.psum_peak_banks;
    report.dram.spill_bytes = allocation.dram_spill_bytes;
    report.dram.high_water_bytes = allocation.dram_high_water_bytes;
    for (const std::string& message : allocation.messages) report.notes.push_back(message);
  }

  Result<Inputs> MakeInputs() const {
    if (options_.values == ValueMode::kNone) return Inputs{};
    if (!options_.inputs.empty()) return ReadInputs(options_.inputs, kernel_);
    return GenerateInputs(kernel_, options_.seed);
  }

  // What the run shows at its own times, proven for all.
  void CheckOrder(const LoweredKernel& lowered) {
    const Kernel& kernel = run_.allocation->kernel;
    const Placement places{lowered.memory.addresses};
    const PlayedKernel played{kernel, lowered.program, places, *run_.target};
    CheckResult races = CheckRaces(played);
    const bool raced = !races.violations.empty();
    AddCheck(std::move(races));
    // The same said of tiles, with the depth that would do.
    if (raced) AddCheck(nki::CheckTileRaces(played));
    AddCheck(CheckReachingWriters(kernel_, kernel, places));
  }

  void Compare(const InterpreterReport& expected) {
    const SimReport& simulated = *run_.simulation;
    RunReport& report = run_.report;
    report.cycles = simulated.cycles.value;
    report.nanoseconds = simulated.nanoseconds;
    for (int e = 0; e < kEngineCount; ++e) {
      report.engines.emplace_back(EngineName(static_cast<Engine>(e)),
                                  simulated.busy_share[static_cast<std::size_t>(e)]);
    }
    report.spill.saves = simulated.spill.saves;
    report.spill.reloads = simulated.spill.reloads;
    report.spill.saved_bytes = simulated.spill.saved_bytes;
    report.spill.reloaded_bytes = simulated.spill.reloaded_bytes;
    report.spill.measured_cycles = simulated.spill.cycles.value;
    for (const OpaqueOp& op : expected.opaque) {
      report.data.opaque_ops.push_back(
          fmt::format("{} ({}, {} times)", op.op, op.reason, op.count));
    }
    AddCheck({"uninitialized-reads", expected.reads_checked, expected.uninitialized});
    AddCheck({"progress", static_cast<std::int64_t>(simulated.lowered.sequence.size()),
              simulated.violations});
    if (options_.values == ValueMode::kNone) return;
    DataComparison comparison = CompareData(kernel_, simulated.outputs, expected.dram);
    report.data.compared_bytes = comparison.compared_bytes;
    report.data.mismatched_bytes = comparison.mismatched_bytes;
    AddCheck({"data", comparison.compared_bytes, std::move(comparison.violations)});
  }

  void Dump(const Inputs& inputs) {
    if (options_.dump.empty()) return;
    Say("dumping");
    const Result<void> dumped =
        DumpTensors(options_.dump, kernel_, inputs, run_.simulation->outputs);
    if (!dumped) End(Verdict::kBadInput, dumped.error());
  }

  const ToolOptions& options_;
  const Progress& progress_;
  const bool goes_on_;
  Kernel kernel_;
  KernelPlan plan_;
  std::optional<Space> automatic_;  ///< the memory that is left to an allocator
  KernelRun run_;
};

}  // namespace

KernelRun RunKernel(const std::string& file, const ToolOptions& options, const Progress& progress) {
  Run run(file, options, progress);
  if (run.Read() && run.Allocate() && run.Check()) {
    run.Estimate();
    run.Simulate();
  }
  return run.Finish();
}

KernelRun AllocateKernel(const std::string& file, const ToolOptions& options,
                         const Progress& progress) {
  Run run(file, options, progress);
  if (run.Read() && run.Allocate()) run.Check();
  return run.Finish();
}

KernelRun CheckKernel(const std::string& file, const ToolOptions& options,
                      const Progress& progress) {
  Run run(file, options, progress, true);
  if (run.Read() && run.TakePlaced(true)) run.Check();
  return run.Finish();
}

KernelRun ReplayKernel(const std::string& file, const ToolOptions& options,
                       const Progress& progress) {
  Run run(file, options, progress, true);
  if (!run.Read() || !run.TakePlaced()) return run.Finish();
  // Overlapping tensors can be played, and show what they break; places outside the memory can't.
  run.Check();
  run.Estimate();
  run.Simulate();
  return run.Finish();
}

}  // namespace spillway
