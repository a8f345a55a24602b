#include <fmt/format.h>

#include <algorithm>

#include "sim/tool/html_chart.h"
#include "sim/tool/html_memory.h"
#include "sim/tool/html_quadrants.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr double kPressureHeight = 170;
constexpr double kBankHeight = 16;
constexpr double kBankGap = 4;

std::vector<double> Shares(const std::vector<std::int64_t>& values, std::int64_t whole) {
  std::vector<double> shares(values.size());
  std::transform(values.begin(), values.end(), shares.begin(), [whole](std::int64_t value) {
    return static_cast<double>(value) / static_cast<double>(std::max<std::int64_t>(whole, 1));
  });
  return shares;
}

void PointAxis(Picture& picture, const KernelRun& run, double y) {
  const std::int64_t points = PointCount(run);
  TimeAxis(picture, Across(static_cast<double>(points)), y, RoundTicks(points, 10), Grouped,
           "point");
}

}  // namespace

std::string SbufPressure(const KernelRun& run, std::span<const PlacedBlock> blocks) {
  const std::vector<QuadrantGroup> groups = GroupQuadrants(run, blocks);
  std::vector<std::vector<std::int64_t>> live;
  std::vector<std::int64_t> fullest(static_cast<std::size_t>(ColumnsFor(PointCount(run))));
  for (const QuadrantGroup& group : groups) {
    live.push_back(LiveBytes(group.blocks, PointCount(run)));
    for (std::size_t c = 0; c < fullest.size(); ++c)
      fullest[c] = std::max(fullest[c], live.back()[c]);
  }
  const std::int64_t peak = *std::max_element(fullest.begin(), fullest.end());
  if (peak == 0) return "";
  const std::int64_t capacity = run.report.sbuf.capacity_bytes.value;
  const std::int64_t shown = ShownBytes(peak, capacity);
  const Scale y{0, static_cast<double>(shown), 20 + kPressureHeight, 20};
  Picture picture(
      "SBUF pressure: bytes live per partition at each program point, against the capacity");
  ByteAxis(picture, y);
  picture.Path("area", StepArea(Shares(fullest, shown), y.px_begin, kPressureHeight));
  std::vector<LegendItem> legend{{"area", "fullest quadrant"}};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    picture.Path(fmt::format("line series{}", g),
                 StepLine(Shares(live[g], shown), y.px_begin, kPressureHeight));
    legend.push_back({fmt::format("series{}", g), GroupName(run, groups[g])});
  }
  const double share =
      static_cast<double>(peak) / static_cast<double>(std::max<std::int64_t>(capacity, 1));
  CapacityLine(
      picture, y, capacity,
      fmt::format("capacity {}, peak {} ({})", Grouped(capacity), Grouped(peak), Percent(share)));
  PointAxis(picture, run, y.px_begin);
  return (groups.size() > 1 ? Legend(legend) : "") + picture.Finish(y.px_begin + 22);
}

std::string PsumBanks(const KernelRun& run, std::span<const PlacedBlock> blocks) {
  const std::int64_t bank_bytes = run.target->psum_bank_bytes.value.value;
  const std::int64_t banks = std::min<std::int64_t>(
      std::max(run.report.psum.banks.value, run.report.psum.peak_banks.value), 64);
  std::vector<std::vector<PlacedBlock>> parts(static_cast<std::size_t>(banks));
  std::int64_t count = 0;
  for (const PlacedBlock& block : blocks) {
    if (block.space != Space::kPsum) continue;
    ++count;
    for (std::int64_t bank = block.where.bytes.begin.value / bank_bytes; bank < banks; ++bank) {
      const Interval<ByteOffset> bytes{ByteOffset(bank * bank_bytes),
                                       ByteOffset((bank + 1) * bank_bytes)};
      if (!Overlap(bytes, block.where.bytes)) break;
      PlacedBlock part = block;
      part.where.bytes = Intersect(bytes, block.where.bytes);
      parts[static_cast<std::size_t>(bank)].push_back(part);
    }
  }
  if (count == 0) return "<p class=\"note\">No tensor in PSUM.</p>\n";
  Picture picture("PSUM banks: the share of each bank that is live at each program point");
  double y = 4;
  for (std::int64_t bank = 0; bank < banks; ++bank) {
    std::vector<const PlacedBlock*> pointers;
    for (const PlacedBlock& part : parts[static_cast<std::size_t>(bank)]) pointers.push_back(&part);
    picture.Rect("track", kLeft, y, kDataWidth, kBankHeight);
    picture.Text("tick", "end", kLeft - 6, y + kBankHeight - 4, fmt::format("bank {}", bank));
    picture.Path("ordinary", StepArea(Shares(LiveBytes(pointers, PointCount(run)), bank_bytes),
                                      y + kBankHeight, kBankHeight));
    y += kBankHeight + kBankGap;
  }
  PointAxis(picture, run, y);
  return fmt::format(
             "<p class=\"note\">{}; the height of a bar is the share of the bank's {} bytes "
             "that is live.</p>\n",
             Counted(count, "block"), Grouped(bank_bytes)) +
         picture.Finish(y + 22);
}

}  // namespace spillway::html
