// Single instructions and pipelines of them as the published figures measured them.
#include "model/hw/timing/engine_clock.h"
#include "model/hw/timing/event_machine.h"
#include "model/hw/timing/instruction_cost.h"
#include "sim/bench/published_figure.h"

namespace spillway {
namespace {

OperandShape Shape(std::string_view name, Space space, DType dtype, std::int64_t elements) {
  return {.name = name, .space = space, .dtype = dtype, .partitions = 128, .elements = elements};
}

InstructionShape Product() {
  return {.op = "nc_matmul",
          .engine = Engine::kPe,
          .inputs = {Shape("stationary", Space::kSbuf, DType::kBfloat16, 128),
                     Shape("moving", Space::kSbuf, DType::kBfloat16, 512)},
          .outputs = {Shape("dst", Space::kPsum, DType::kFloat32, 512)}};
}

InstructionShape CopyFromPsum() {
  return {.op = "tensor_copy",
          .engine = Engine::kDve,
          .inputs = {Shape("src", Space::kPsum, DType::kFloat32, 512)},
          .outputs = {Shape("dst", Space::kSbuf, DType::kBfloat16, 512)}};
}

InstructionShape OneElement() {
  return {.op = "activation",
          .engine = Engine::kAct,
          .inputs = {Shape("data", Space::kSbuf, DType::kFloat32, 1)},
          .outputs = {Shape("dst", Space::kSbuf, DType::kFloat32, 1)}};
}

constexpr int kCount = 2048;
constexpr int kSteady = kCount / 2;  // products at the end, which run at the full rate

// `count` products one after the other.
RunResult Products(const Target& target, int count) {
  HwProgram program;
  const ComputeTime time = CostOf(Product(), target).time;
  for (int i = 0; i < count; ++i) program.AddCompute(Engine::kPe, time, 0, {});
  return EventMachine().Run(program, target, {}, nullptr);
}

double CyclesOf(Picoseconds time, std::int64_t hertz) {
  return static_cast<double>(time.value) * static_cast<double>(hertz) * 1e-12;
}

}  // namespace

std::vector<PublishedFigure> InstructionFigures(const Target& trn1, const Target& trn2) {
  std::vector<PublishedFigure> figures;
  const RunResult products = Products(trn2, kCount);
  const Picoseconds steady =
      products.times[kCount - 1].start - products.times[kCount - kSteady - 1].start;
  figures.push_back({"product 128x128x512 bf16, steady", 522,
                     CyclesOf(steady, trn2.pe_hertz) / kSteady, "PE cycles", 0.02,
                     "example-bounds-analysis.md"});
  // A column a cycle is the peak.
  const double peak = 512.0 * kCount / static_cast<double>(trn2.pe_hertz) * 1e12;
  figures.push_back({"2048 products, share of the peak", 98,
                     100 * peak / static_cast<double>(products.makespan.value), "%", std::nullopt,
                     "te_inefficiency.md"});

  HwProgram alone;
  alone.AddCompute(Engine::kDve, CostOf(CopyFromPsum(), trn2).time, 0, {});
  const Picoseconds copy = EventMachine().Run(alone, trn2, {}, nullptr).makespan;
  figures.push_back({"Vector copy 128x512 from PSUM to SBUF, alone", 680,
                     static_cast<double>(copy.value) / 1000, "ns", 0.10,
                     "example-bounds-analysis.md"});

  HwProgram chain;
  const ComputeTime each = CostOf(OneElement(), trn1).time;
  InstanceId last = chain.AddCompute(Engine::kAct, each, 0, {});
  for (int i = 1; i < kCount; ++i) {
    last = chain.AddCompute(Engine::kAct, each, 0, {{chain.Finished(last)}});
  }
  const RunResult run = EventMachine().Run(chain, trn1, {}, nullptr);
  figures.push_back({"dependent one-element Scalar chain, trn1", 189,
                     static_cast<double>(run.times.back().start.value) / (kCount - 1) / 1000, "ns",
                     std::nullopt, "nki_perf_guide.rst"});
  return figures;
}

}  // namespace spillway
