// DMA transfers as the published figures measured them.
#include <fmt/format.h>

#include "model/hw/timing/dma_transfer.h"
#include "model/hw/timing/event_machine.h"
#include "sim/bench/published_figure.h"

namespace spillway {
namespace {

constexpr double kPicosecondsPerNanosecond = 1000;
constexpr double kDmaBound = 0.05;

Transfer Rows(const Target& target, std::int64_t rows, std::int64_t bytes) {
  return MakeTransfer(target, rows, Bytes(bytes), DescriptorKind::kContiguous);
}

// From the first descriptor's start to the last byte's landing.
double AloneNanoseconds(const Target& target, const Transfer& transfer) {
  HwProgram program;
  program.AddTransfer(0, transfer, {});
  const InstanceTimes times = EventMachine().Run(program, target, {}, nullptr).times.front();
  return static_cast<double>((times.finish - times.start).value) / kPicosecondsPerNanosecond;
}

// Many copies on all queues: what the engines sustain.
double BytesPerNanosecond(const Target& target, std::int64_t rows, std::int64_t bytes) {
  constexpr int kCopies = 400;
  HwProgram program;
  for (int i = 0; i < kCopies; ++i) {
    program.AddTransfer(i % static_cast<int>(target.dma_queues.value), Rows(target, rows, bytes),
                        {});
  }
  const RunResult run = EventMachine().Run(program, target, {}, nullptr);
  const Picoseconds time = run.makespan - run.times.front().start;
  return static_cast<double>(kCopies * rows * bytes) * kPicosecondsPerNanosecond /
         static_cast<double>(time.value);
}

}  // namespace

std::vector<PublishedFigure> DmaFigures(const Target& trn2) {
  constexpr std::pair<std::int64_t, double> kCurve[] = {
      {32, 819},   {64, 818},   {128, 855},   {256, 855},   {512, 855},
      {1024, 841}, {2048, 876}, {4096, 1474}, {8192, 2898}, {32768, 11398}};
  std::vector<PublishedFigure> figures;
  for (const auto& [bytes, nanoseconds] : kCurve) {
    figures.push_back({fmt::format("DMA copy of 128 rows x {} B", bytes), nanoseconds,
                       AloneNanoseconds(trn2, Rows(trn2, 128, bytes)), "ns", kDmaBound,
                       "nki-dma-intro-1.jpg"});
  }
  figures.push_back({"DMA copy of 4 rows x 8192 B, one engine", 1416,
                     AloneNanoseconds(trn2, Rows(trn2, 4, 8192)), "ns", kDmaBound,
                     "nki-dma-overview.rst"});
  figures.push_back({"many copies of 128 rows x 1024 B", 259, BytesPerNanosecond(trn2, 128, 1024),
                     "GB/s", std::nullopt, "dma_efficiency.md"});
  figures.push_back({"many copies of 128 rows x 4096 B", 354, BytesPerNanosecond(trn2, 128, 4096),
                     "GB/s", std::nullopt, "dma_efficiency.md"});
  return figures;
}

}  // namespace spillway
