// The model beside every published measurement that it can reproduce.
#pragma once

#include <string>
#include <vector>

#include "sim/bench/published_figure.h"

namespace spillway {

struct PublishedReport {
  std::vector<PublishedFigure> figures;
  bool in_order = false;  ///< V0, V1, V2 by DMA-active time, as measured
  /// The figure with the largest error in proportion to its bound.
  const PublishedFigure& Worst() const;
  /// The one with the largest error, bound or not.
  const PublishedFigure& Largest() const;
  bool holds() const;
};

/// Simulates every figure on the built-in targets.
PublishedReport RunPublishedSuite();

/// The table, what is left out and why, and a last line that names the worst errors.
std::string ToText(const PublishedReport& report);

}  // namespace spillway
