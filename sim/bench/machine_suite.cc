#include "sim/bench/machine_suite.h"

#include <fmt/format.h>

#include <vector>

#include "model/alloc/allocate.h"
#include "model/hw/systemc/bare_systemc.h"
#include "model/hw/systemc/machine.h"
#include "model/hw/systemc/measured_hwm.h"
#include "model/hw/timing/event_machine.h"
#include "sim/bench/machine_programs.h"
#include "sim/bench/stopwatch.h"
#include "sim/exec/executor.h"
#include "sim/values/inputs.h"

namespace spillway {
namespace {

constexpr int kRounds = 5;
constexpr double kMega = 1e6;

using Figures = std::vector<MachineFigure>;

struct Speeds {
  double bare = 0;
  double systemc = 0;
  double event = 0;
};

// Runs of all programs by each player, best of several rounds that take turns.
Speeds Measure(const std::vector<HwProgram>& programs, int repeats, const Target& target) {
  EventMachine events;
  BestTime bare;
  BestTime systemc;
  BestTime event;
  std::vector<std::vector<std::vector<std::int64_t>>> durations;
  durations.reserve(programs.size());
  for (const HwProgram& program : programs) durations.push_back(DurationsByStream(program));
  for (int round = 0; round < kRounds; ++round) {
    bare.Measure([&] {
      for (int i = 0; i < repeats; ++i) {
        for (const auto& streams : durations) BareSystemC::Instance().Run(streams);
      }
    });
    systemc.Measure([&] {
      for (int i = 0; i < repeats; ++i) {
        for (const HwProgram& program : programs) {
          Machine::Instance().Run(program, target, {}, nullptr);
        }
      }
    });
    event.Measure([&] {
      for (int i = 0; i < repeats; ++i) {
        for (const HwProgram& program : programs) events.Run(program, target, {}, nullptr);
      }
    });
  }
  return {1 / bare.seconds(), 1 / systemc.seconds(), 1 / event.seconds()};
}

// The yardstick and both players on one set of programs.
void AddPlayers(Figures& figures, const std::string& group, const Speeds& speeds, double scale,
                const char* unit, double systemc_bar, double event_bar) {
  const double bare = speeds.bare * scale;
  figures.push_back({group, "bare SystemC, a wait an instruction", bare, unit});
  figures.push_back({.group = group,
                     .name = "SystemC player",
                     .value = speeds.systemc * scale,
                     .unit = unit,
                     .bar = systemc_bar,
                     .to_bare = speeds.systemc / speeds.bare});
  figures.push_back({.group = group,
                     .name = "event core",
                     .value = speeds.event * scale,
                     .unit = unit,
                     .bar = event_bar,
                     .to_bare = speeds.event / speeds.bare});
}

void AddLongPrograms(const Target& target, Figures& figures) {
  struct Case {
    const char* name;
    MachineProgramShape shape;
    bool has_bars;
  };
  const Case cases[] = {
      {"25% transfers of one descriptor, mean 64 ns", {.instances = 500'000}, true},
      {"25% transfers of one descriptor, mean 1000 ns",
       {.instances = 500'000, .mean_nanoseconds = 1000},
       false},
      {"76% transfers of one descriptor, mean 64 ns",
       {.instances = 500'000, .transfer_percent = 76},
       false},
      {"25% transfers of 128 descriptors, mean 64 ns",
       {.instances = 500'000, .full_height = true},
       false},
  };
  for (const Case& c : cases) {
    const std::vector<HwProgram> programs{MachineProgram(c.shape)};
    const Speeds speeds = Measure(programs, 1, target);
    AddPlayers(figures, fmt::format("{} instructions, {}", c.shape.instances, c.name), speeds,
               c.shape.instances / kMega, "M instr/s", c.has_bars ? 2 : 0, c.has_bars ? 8 : 0);
  }
}

void AddShortPrograms(const Target& target, Figures& figures) {
  // Few enough to stay in the caches, as a program that was just generated would.
  constexpr int kPrograms = 50;
  constexpr int kRepeats = 20;
  constexpr int kInstances = 200;
  std::vector<HwProgram> programs;
  programs.reserve(kPrograms);
  for (int i = 0; i < kPrograms; ++i) {
    programs.push_back(
        MachineProgram({.instances = kInstances, .seed = static_cast<std::uint64_t>(i)}));
  }
  const Speeds speeds = Measure(programs, kRepeats, target);
  AddPlayers(figures, fmt::format("{} instructions, re-armed for every run", kInstances), speeds,
             kPrograms * kRepeats, "runs/s", 45'000, 0);
}

void AddPayload(const Target& target, const Hwm& oracle, Figures& figures) {
  constexpr std::int64_t kCopies = 4000;
  const Kernel kernel = CopyKernel(kCopies);
  const Result<Allocation> allocation = Allocate(kernel, target, oracle, {});
  SPILLWAY_CHECK(allocation, "two tiles fit");
  const Inputs inputs = GenerateInputs(kernel, 1).value();
  BestTime time;
  BestTime timing_only;
  BestTime copy;
  std::vector<std::byte> from(kCopyBytes);
  std::vector<std::byte> to(kCopyBytes);
  for (int round = 0; round < kRounds; ++round) {
    time.Measure([&] {
      const auto report =
          Execute(allocation->kernel, allocation->placement, target, ValueMode::kTags, inputs);
      SPILLWAY_CHECK(report && report->violations.empty(), "the copies run");
    });
    timing_only.Measure([&] {
      (void)Execute(allocation->kernel, allocation->placement, target, ValueMode::kNone, {});
    });
    copy.Measure([&] {
      for (std::int64_t i = 0; i < 2 * kCopies; ++i) {
        std::copy(from.begin(), from.end(), to.begin());
        asm volatile("" : : "r"(to.data()) : "memory");
      }
    });
  }
  const double gigabytes = 2 * kCopies * kCopyBytes / 1e9;
  const double bare = gigabytes / copy.seconds();
  const std::string group = fmt::format("DMA payload, {} copies of 128 rows x 2 KiB", 2 * kCopies);
  const auto add = [&](const char* name, const BestTime& measured, double bar) {
    const double value = gigabytes / measured.seconds();
    figures.push_back({.group = group,
                       .name = name,
                       .value = value,
                       .unit = "GB/s",
                       .bar = bar,
                       .to_bare = bar > 0 ? value / bare : 0});
  };
  add("bare copy of 256 KiB", copy, 0);
  add("with data, lowering included", time, 25);
  add("timing only, lowering included", timing_only, 0);
}

void AddQueries(const Hwm& oracle, Figures& figures) {
  constexpr int kQueries = 1'000'000;
  constexpr double kMostNanoseconds = 50;
  const OperandShape operand{.name = "data",
                             .space = Space::kSbuf,
                             .dtype = DType::kBfloat16,
                             .partitions = 128,
                             .elements = 512};
  InstructionShape shape{
      .op = "activation", .engine = Engine::kAct, .inputs = {operand}, .outputs = {operand}};
  BestTime access;
  BestTime instruction;
  std::int64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    access.Measure([&] {
      for (int i = 0; i < kQueries; ++i) {
        const auto space = static_cast<Space>(i % 3);
        sum += oracle.Latency(space, {PartitionCount(1 + i % 128), Bytes(1 + i % 40'000)}).value;
      }
    });
    instruction.Measure([&] {
      for (int i = 0; i < kQueries; ++i) {
        shape.inputs[0].elements = 1 + i % 4096;
        sum += oracle.Latency(shape)->total().value;
      }
    });
  }
  asm volatile("" : : "r"(sum));
  const std::string group = fmt::format("queries of the oracle ({})", oracle.Name());
  for (const auto& [name, time] :
       {std::pair{"an access", &access}, std::pair{"an instruction", &instruction}}) {
    figures.push_back({.group = group,
                       .name = name,
                       .value = 1e9 * time->seconds() / kQueries,
                       .unit = "ns",
                       .bar = kMostNanoseconds,
                       .bar_is_most = true});
  }
}

}  // namespace

std::vector<MachineFigure> RunMachineSuite() {
  const Target target = FindTarget("trn2").value();
  BareSystemC::Instance();  // before anything elaborates the machine
  const Result<std::unique_ptr<Hwm>> oracle = MakeMeasuredHwm(target);
  SPILLWAY_CHECK(oracle, "a built-in target can be measured");
  Figures figures;
  AddLongPrograms(target, figures);
  AddShortPrograms(target, figures);
  AddPayload(target, **oracle, figures);
  AddQueries(**oracle, figures);
  return figures;
}

std::string ToText(const std::vector<MachineFigure>& figures) {
  std::string text = fmt::format("{:<52} {:>10} {:<10} {:>9} {:>8}\n",
                                 "processor time, best of five", "", "", "bar", "to bare");
  std::string group;
  for (const MachineFigure& f : figures) {
    if (f.group != group) text += f.group + "\n";
    group = f.group;
    const std::string bar =
        f.bar == 0 ? "-" : fmt::format("{}{}", f.bar_is_most ? "<= " : "", f.bar);
    const std::string to_bare = f.to_bare == 0 ? "-" : fmt::format("{:.2f}", f.to_bare);
    text += fmt::format("  {:<50} {:>10.2f} {:<10} {:>9} {:>8}{}\n", f.name, f.value, f.unit, bar,
                        to_bare, f.MeetsBar() ? "" : "  misses the bar");
  }
  return text;
}

}  // namespace spillway
