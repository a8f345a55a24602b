#include <fmt/format.h>

#include <algorithm>

#include "sim/tool/csv_row.h"
#include "sim/tool/csv_tables.h"
#include "sim/tool/placed_blocks.h"

namespace spillway {
namespace {

constexpr std::int64_t kSamples = 1000;
constexpr int kSbufQuadrants = 4;  // bands of 32 partitions, one per start partition

// A part of a memory whose use is reported on its own: some partitions, some bytes.
struct Region {
  std::string name;
  Rectangle where;
};

// Bytes of `bytes` that `held` (any order, overlapping) covers.
std::int64_t Covered(std::vector<Interval<ByteOffset>> held, const Interval<ByteOffset>& bytes) {
  std::sort(held.begin(), held.end());
  std::int64_t covered = 0;
  std::int64_t done = bytes.begin.value;
  for (const Interval<ByteOffset>& one : held) {
    const std::int64_t end = std::min(one.end.value, bytes.end.value);
    covered += std::max<std::int64_t>(end - std::max(done, one.begin.value), 0);
    done = std::max(done, end);
  }
  return covered;
}

double PercentUsed(const Region& region, const std::vector<const PlacedBlock*>& live) {
  std::vector<Interval<ByteOffset>> held;
  for (const PlacedBlock* block : live) {
    if (Overlap(block->where, region.where)) held.push_back(block->where.bytes);
  }
  const std::int64_t size = (region.where.bytes.end - region.where.bytes.begin).value;
  return size == 0 ? 0
                   : 100.0 * static_cast<double>(Covered(std::move(held), region.where.bytes)) /
                         static_cast<double>(size);
}

// A row per sample of simulated time, a column per region.
void PutUsage(std::ostream& out, const KernelRun& run, Space space,
              const std::vector<Region>& regions) {
  std::vector<std::string> header{"timestamp", "avg"};
  for (const Region& region : regions) header.push_back(region.name);
  PutCsvRow(out, header);
  if (!run.simulation || regions.empty()) return;

  std::vector<PlacedBlock> blocks = PlacedBlocks(run);
  std::erase_if(blocks,
                [space](const PlacedBlock& block) { return block.space != space || !block.time; });
  std::stable_sort(blocks.begin(), blocks.end(), [](const PlacedBlock& a, const PlacedBlock& b) {
    return a.time->begin < b.time->begin;
  });
  const std::int64_t end = run.simulation->run.makespan.value;
  const std::int64_t samples = std::min(kSamples, std::max<std::int64_t>(end / 1000, 1));
  std::vector<const PlacedBlock*> live;
  std::size_t next = 0;
  for (std::int64_t s = 0; s < samples; ++s) {
    // The middle of the sample's share of the run, without overflow.
    const std::int64_t now = end / samples * s + end % samples * s / samples + end / samples / 2;
    for (; next < blocks.size() && blocks[next].time->begin.value <= now; ++next)
      live.push_back(&blocks[next]);
    std::erase_if(live, [now](const PlacedBlock* block) { return block->time->end.value <= now; });
    std::vector<std::string> row{BeginNanoseconds(Picoseconds(now)), ""};
    double sum = 0;
    for (const Region& region : regions) {
      const double percent = PercentUsed(region, live);
      sum += percent;
      row.push_back(CsvPercent(percent));
    }
    row[1] = CsvPercent(sum / static_cast<double>(regions.size()));
    PutCsvRow(out, row);
  }
}

}  // namespace

void PutSbufUsage(std::ostream& out, const KernelRun& run) {
  std::vector<Region> regions;
  const std::int64_t height =
      run.target ? run.target->sbuf_partitions.value.value / kSbufQuadrants : 0;
  for (int q = 0; q < kSbufQuadrants; ++q) {
    regions.push_back({fmt::format("quadrant_{}", q),
                       {{Partition(q * height), Partition((q + 1) * height)},
                        {ByteOffset(0), ByteOffset(run.report.sbuf.capacity_bytes.value)}}});
  }
  PutUsage(out, run, Space::kSbuf, regions);
}

void PutPsumUsage(std::ostream& out, const KernelRun& run) {
  std::vector<Region> regions;
  if (run.target) {
    const std::int64_t size = run.target->psum_bank_bytes.value.value;
    for (std::int64_t bank = 0; bank < run.target->psum_banks.value.value; ++bank) {
      regions.push_back({fmt::format("bank_{}", bank),
                         {{Partition(0), Partition(run.target->psum_partitions.value.value)},
                          {ByteOffset(bank * size), ByteOffset((bank + 1) * size)}}});
    }
  }
  PutUsage(out, run, Space::kPsum, regions);
}

}  // namespace spillway
