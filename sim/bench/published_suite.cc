#include "sim/bench/published_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/hw/error.h"

namespace spillway {
namespace {

void Append(std::vector<PublishedFigure>& all, std::vector<PublishedFigure> more) {
  all.insert(all.end(), more.begin(), more.end());
}

double Simulated(const std::vector<PublishedFigure>& figures, const std::string& name) {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const PublishedFigure& f) { return f.name == name; });
  SPILLWAY_CHECK(found != figures.end(), "a figure of the suite");
  return found->simulated;
}

}  // namespace

const PublishedFigure& PublishedReport::Worst() const {
  // Figures without a bound are for information; they can't be the worst.
  const auto strain = [](const PublishedFigure& f) {
    return f.bound ? std::abs(f.error()) / *f.bound : -1.0;
  };
  return *std::max_element(
      figures.begin(), figures.end(),
      [&](const PublishedFigure& a, const PublishedFigure& b) { return strain(a) < strain(b); });
}

const PublishedFigure& PublishedReport::Largest() const {
  return *std::max_element(figures.begin(), figures.end(),
                           [](const PublishedFigure& a, const PublishedFigure& b) {
                             return std::abs(a.error()) < std::abs(b.error());
                           });
}

bool PublishedReport::holds() const {
  return in_order && std::all_of(figures.begin(), figures.end(),
                                 [](const PublishedFigure& f) { return f.holds(); });
}

PublishedReport RunPublishedSuite() {
  const Target trn1 = FindTarget("trn1").value();
  const Target trn2 = FindTarget("trn2").value();
  PublishedReport report;
  Append(report.figures, DmaFigures(trn2));
  Append(report.figures, InstructionFigures(trn1, trn2));
  Append(report.figures, ProductFigures(trn2));
  const auto active = [&](const char* version) {
    return Simulated(report.figures, fmt::format("product 4096^3 {}, DMA active", version));
  };
  report.in_order = active("V0") > active("V1") && active("V1") > active("V2");
  return report;
}

std::string ToText(const PublishedReport& report) {
  std::string text = fmt::format("{:<46} {:>10} {:>10} {:<10} {:>7} {:>6}  {}\n", "figure",
                                 "published", "simulated", "unit", "error", "bound", "source");
  for (const PublishedFigure& f : report.figures) {
    const std::string bound = f.bound ? fmt::format("{:.0f}%", 100 * *f.bound) : "-";
    text += fmt::format("{:<46} {:>10.0f} {:>10.1f} {:<10} {:>+6.1f}% {:>6}  {}{}\n", f.name,
                        f.published, f.simulated, f.unit, 100 * f.error(), bound, f.source,
                        f.holds() ? "" : "  OUT OF BOUND");
  }
  text += fmt::format("V0, V1, V2 by DMA-active time: {}\n",
                      report.in_order ? "in the measured order" : "OUT OF ORDER");
  for (const std::string& left_out : FiguresLeftOut()) {
    text += fmt::format("not modelled: {}\n", left_out);
  }
  const PublishedFigure& worst = report.Worst();
  const PublishedFigure& largest = report.Largest();
  text += fmt::format(
      "{}; worst against its bound: {}, {:+.1f}% of {:.0f}%; largest error: {}, {:+.1f}%\n",
      report.holds() ? "all bounds hold" : "BOUNDS BROKEN", worst.name, 100 * worst.error(),
      100 * *worst.bound, largest.name, 100 * largest.error());
  return text;
}

}  // namespace spillway
