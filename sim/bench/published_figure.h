// A figure that hardware measured and the model can reproduce.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hw/target.h"

namespace spillway {

/// One line of the published suite.
struct PublishedFigure {
  std::string name;
  double published = 0;
  double simulated = 0;
  std::string unit;
  std::optional<double> bound;  ///< largest relative error that passes; absent: for information
  std::string source;

  /// (simulated - published) / published.
  double error() const { return (simulated - published) / published; }
  bool holds() const { return !bound || (error() <= *bound && -error() <= *bound); }
};

/// DMA copies alone and many at once; single instructions; pipelines of them. All on trn2 but the
/// dependent chain, which was measured on trn1.
/// Source: isa_costs §3.3, §3.4, §3.6.
std::vector<PublishedFigure> DmaFigures(const Target& trn2);
std::vector<PublishedFigure> InstructionFigures(const Target& trn1, const Target& trn2);
/// The matrix products V0, V1 and V2, allocated and simulated: total, DMA active, Tensor, Vector.
/// Source: isa_costs §3.6; traces/published.
std::vector<PublishedFigure> ProductFigures(const Target& trn2);

/// Published figures that the model doesn't reproduce, each with the reason.
std::vector<std::string> FiguresLeftOut();

}  // namespace spillway
