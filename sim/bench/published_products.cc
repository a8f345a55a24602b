// The published matrix products, from their kernels to simulated time.
#include <fmt/format.h>

#include <utility>

#include "model/alloc/allocate.h"
#include "model/hw/interval.h"
#include "model/hw/timing/covered_time.h"
#include "model/hw/timing/event_machine.h"
#include "sim/bench/published_figure.h"
#include "sim/lower/lower_kernel.h"
#include "traces/published_kernels.h"

namespace spillway {
namespace {

constexpr double kTotalBound = 0.35;
constexpr double kDmaBound = 0.30;

struct Measured {
  const char* name;
  double total;
  double dma_active;
  double tensor;
  double vector;
};
// In microseconds. Source: isa_costs §3.6 (example-bounds-analysis.md).
constexpr Measured kMeasured[] = {
    {"V0", 8602, 7906, 4806, 176}, {"V1", 2451, 1325, 2163, 174}, {"V2", 1801, 819, 1781, 172}};

double Microseconds(Picoseconds time) { return static_cast<double>(time.value) * 1e-6; }

// Time during which some transfer is between its first descriptor and its last.
Picoseconds DmaActive(const HwProgram& program, const RunResult& run) {
  std::vector<Interval<Picoseconds>> flights;
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    if (!program.instances()[i].stream.is_queue()) continue;
    flights.push_back({run.times[i].start, run.times[i].finish});
  }
  return CoveredTime(std::move(flights));
}

}  // namespace

std::vector<PublishedFigure> ProductFigures(const Target& trn2) {
  std::vector<PublishedFigure> figures;
  const std::vector<Kernel> kernels = PublishedKernels();
  for (std::size_t v = 0; v < kernels.size(); ++v) {
    const Measured& measured = kMeasured[v];
    const Result<Allocation> allocation = Allocate(kernels[v], trn2, *MakeClosedFormHwm(trn2), {});
    SPILLWAY_CHECK(allocation, "the published kernels fit");
    const Result<LoweredKernel> lowered =
        LowerKernel(allocation->kernel, allocation->placement, trn2);
    SPILLWAY_CHECK(lowered, "the published kernels run");
    const RunResult run = EventMachine().Run(lowered->program, trn2, {}, nullptr);
    const auto add = [&](const char* what, double published, Picoseconds simulated,
                         std::optional<double> bound) {
      figures.push_back({fmt::format("product 4096^3 {}, {}", measured.name, what), published,
                         Microseconds(simulated), "us", bound, "example-bounds-analysis.md"});
    };
    add("total", measured.total, run.makespan, kTotalBound);
    add("DMA active", measured.dma_active, DmaActive(lowered->program, run), kDmaBound);
    add("Tensor", measured.tensor, run.busy[static_cast<std::size_t>(Engine::kPe)], std::nullopt);
    add("Vector", measured.vector, run.busy[static_cast<std::size_t>(Engine::kDve)], std::nullopt);
  }
  return figures;
}

std::vector<std::string> FiguresLeftOut() {
  return {
      "2048^3 product with and without transposes: loads and loop order aren't published",
      "mixed undersized PE tiles at 39%: the mix isn't published",
      "DGE mix, 16 and 47 us of DMA: the number of copies isn't published; their rates are above",
      "fused Mamba, 512 to 8192: no capture of that kernel",
      "allocated attention and RMSNorm-QKV: thresholds of regression tests, not measurements",
  };
}

}  // namespace spillway
