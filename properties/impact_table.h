// The closed forms of the geometric degree test against counting.
#pragma once

#include <optional>
#include <string>

namespace spillway {

/// Heights that may lie in a class's bands start where the hardware lets them, all of them up to
/// the tallest. Nothing where every height's class has the legal starts. Source: colorer.md §2.
std::optional<std::string> CheckHeightClasses();

/// Counts places one by one, for all pairs of height classes and small sizes: PossiblePlacements is
/// the number of places in an empty memory, and Impact the most of them that a neighbour's place
/// can block. Bands are counted from the partitions that a height may start at, not from the
/// colourer's tables. Nothing where all counts agree.
/// Source: seed 003 §2; colorer.md §2.
std::optional<std::string> CheckImpactCounts();

}  // namespace spillway
