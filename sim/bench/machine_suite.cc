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

// One line: what was measured, its bar and its ratio to the yardstick, where they apply.
std::string Line(const std::string& name, double value, const char* unit, double bar,
                 double yardstick) {
  const std::string at_least = bar > 0 ? fmt::format("{:.2f}", bar) : "-";
  const std::string ratio = yardstick > 0 ? fmt::format("{:.2f}", value / yardstick) : "-";
  return fmt::format("{:<52} {:>10.2f} {:<12} {:>9} {:>9}{}\n", name, value, unit, at_least, ratio,
                     value < bar ? "  below the bar" : "");
}

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

std::string LongPrograms(const Target& target) {
  std::string text;
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
    const double scale = c.shape.instances / kMega;
    const double bare = speeds.bare * scale;
    text += fmt::format("{} instructions, {}\n", c.shape.instances, c.name);
    text += Line("  bare SystemC, a wait an instruction", bare, "M instr/s", 0, 0);
    text += Line("  SystemC player", speeds.systemc * scale, "M instr/s", c.has_bars ? 2 : 0, bare);
    text += Line("  event core", speeds.event * scale, "M instr/s", c.has_bars ? 8 : 0, bare);
  }
  return text;
}

std::string ShortPrograms(const Target& target) {
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
  constexpr double kRuns = kPrograms * kRepeats;
  const double bare = speeds.bare * kRuns;
  std::string text = fmt::format("{} instructions, re-armed for every run\n", kInstances);
  text += Line("  bare SystemC, a wait an instruction", bare, "runs/s", 0, 0);
  text += Line("  SystemC player", speeds.systemc * kRuns, "runs/s", 45'000, bare);
  text += Line("  event core", speeds.event * kRuns, "runs/s", 0, bare);
  return text;
}

std::string Payload(const Target& target, const Hwm& oracle) {
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
  std::string text = fmt::format("DMA payload, {} copies of 128 rows x 2 KiB\n", 2 * kCopies);
  text += Line("  bare copy of 256 KiB", bare, "GB/s", 0, 0);
  text += Line("  with data, lowering included", gigabytes / time.seconds(), "GB/s", 25, bare);
  text +=
      Line("  timing only, lowering included", gigabytes / timing_only.seconds(), "GB/s", 0, bare);
  return text;
}

std::string Queries(const Hwm& oracle) {
  constexpr int kQueries = 1'000'000;
  static constexpr double kMostNanoseconds = 50;
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
  std::string text = fmt::format("queries of the oracle ({})\n", oracle.Name());
  const auto line = [&text](const char* name, const BestTime& time) {
    const double nanoseconds = 1e9 * time.seconds() / kQueries;
    text += fmt::format("{:<52} {:>10.2f} {:<12} {:>9}{}\n", name, nanoseconds, "ns",
                        fmt::format("<= {:.0f}", kMostNanoseconds),
                        nanoseconds > kMostNanoseconds ? "           above the bar" : "");
  };
  line("  an access", access);
  line("  an instruction", instruction);
  return text;
}

}  // namespace

std::string RunMachineSuite() {
  const Target target = FindTarget("trn2").value();
  BareSystemC::Instance();  // before anything elaborates the machine
  const Result<std::unique_ptr<Hwm>> oracle = MakeMeasuredHwm(target);
  SPILLWAY_CHECK(oracle, "a built-in target can be measured");
  std::string text = fmt::format("{:<52} {:>10} {:<12} {:>9} {:>9}\n",
                                 "processor time, best of five", "", "", "bar", "to bare");
  text += LongPrograms(target);
  text += ShortPrograms(target);
  text += Payload(target, **oracle);
  text += Queries(**oracle);
  return text;
}

}  // namespace spillway
