#include "properties/property_table.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "properties/allocation_problem.h"
#include "properties/allocation_properties.h"
#include "properties/geometry_properties.h"
#include "properties/impact_table.h"
#include "properties/modulo_law_property.h"
#include "properties/spill_properties.h"

namespace spillway {
namespace {

using Bits = std::span<const std::uint8_t>;

RelationVerdict Told(std::optional<std::string> fault) {
  RelationVerdict verdict;
  verdict.facts.applies = true;
  if (fault) verdict.faults.push_back(std::move(*fault));
  return verdict;
}
RelationVerdict Told(PropertyVerdict verdict) {
  return {std::move(verdict.faults), {.applies = true, .spilled = verdict.facts.spilled}};
}

template <std::optional<std::string> (*Check)(const NodeSet&)>
RelationVerdict OfNodes(Bits bytes) {
  return Told(Check(DecodeNodeSet(bytes)));
}
RelationVerdict OfNeighborhood(Bits bytes) {
  return Told(CheckGeometricDegree(DecodeNeighborhood(bytes)).fault);
}
RelationVerdict OfLaw(Bits bytes) { return Told(CheckModuloLaw(bytes)); }

// The tables of heights don't depend on bytes.
RelationVerdict OfHeights(Bits /*bytes*/) { return Told(CheckHeightClasses()); }
RelationVerdict OfImpacts(Bits /*bytes*/) { return Told(CheckImpactCounts()); }

RelationVerdict Costs(const RelationCase& c) {
  return {CheckSpillCosts(c.kernel, c.capacity, c.target), {.applies = true}};
}

RelationVerdict Room(const RelationCase& c) {
  return Told(CheckNoSpillWithRoom(c.kernel, c.target, c.hwm));
}
RelationVerdict Progress(const RelationCase& c) {
  return Told(CheckProgress(c.kernel, c.capacity, c.target, c.hwm));
}
RelationVerdict Twice(const RelationCase& c) {
  return Told(CheckDeterminism(c.kernel, c.capacity, c.target, c.hwm));
}
RelationVerdict RoundTrip(const RelationCase& c) { return Told(CheckRoundTrip(c.kernel)); }
RelationVerdict Reloads(const RelationCase& c) {
  SbufOptions options;
  options.capacity = c.capacity;
  const Result<SbufAllocation> made = AllocateSbuf(c.kernel, c.target, c.hwm, options);
  // A later round copies copies, and may bring their bytes twice: waste, but no fault.
  if (!made || made->stats.iterations > 2) return {};
  const bool spilled = !made->stats.spilled.empty();
  return {CheckReloadsAreNeeded(made->kernel), {.applies = spilled, .spilled = spilled}};
}

RelationVerdict TwiceToFourTimes(const RelationCase& c) {
  return CheckScaled(c, 2 + static_cast<std::int64_t>(c.seed % 3));
}
RelationVerdict SomeGranulesMore(const RelationCase& c) {
  const Bytes granule = c.target.sbuf_granule;
  return CheckMoreCapacity(c, granule * (1 + static_cast<std::int64_t>(c.seed % 4)));
}

using enum PropertyKind;

constexpr std::array kRows = {
    PropertyRow{"height-classes", kPass, OfHeights, nullptr, 1, 100, 0},
    PropertyRow{"impact-counts", kPass, OfImpacts, nullptr, 1, 100, 0},
    PropertyRow{"modulo-law", kPass, OfLaw, nullptr, 1000, 100, 0},
    PropertyRow{"geometric-degree", kPass, OfNeighborhood, nullptr, 1000, 100, 0},
    PropertyRow{"graph-free", kPass, OfNodes<CheckGraphFreeResidual>, nullptr, 500, 100, 0},
    PropertyRow{"simplify-order", kPass, OfNodes<CheckSimplifyOrder>, nullptr, 500, 100, 0},
    PropertyRow{"colouring", kPass, OfNodes<CheckColouring>, nullptr, 500, 100, 0},
    PropertyRow{"best-of", kPass, OfNodes<CheckBestOf>, nullptr, 300, 100, 0},
    PropertyRow{"spill-set", kPass, OfNodes<CheckSpillSet>, nullptr, 500, 100, 0},
    PropertyRow{"spill-costs", kPass, nullptr, Costs, 300, 100, 0},

    PropertyRow{"room-for-all", kAllocation, nullptr, Room, 400, 100, 0},
    PropertyRow{"progress", kAllocation, nullptr, Progress, 400, 100, 40},
    PropertyRow{"twice", kAllocation, nullptr, Twice, 200, 100, 0},
    PropertyRow{"round-trip", kAllocation, nullptr, RoundTrip, 300, 100, 0},
    PropertyRow{"reloads-needed", kAllocation, nullptr, Reloads, 600, 12, 12},

    PropertyRow{"other-names", kRelation, nullptr, CheckOtherNames, 600, 95, 40},
    PropertyRow{"other-order", kRelation, nullptr, CheckOtherOrder, 400, 80, 40},
    PropertyRow{"unused-tensor", kRelation, nullptr, CheckUnusedTensor, 400, 99, 40},
    PropertyRow{"dead-tile", kRelation, nullptr, CheckDeadTile, 400, 90, 40},
    PropertyRow{"loose-bytes", kRelation, nullptr, CheckLooseBytes, 400, 80, 40},
    PropertyRow{"swapped-neighbors", kRelation, nullptr, CheckSwappedNeighbors, 400, 55, 40},
    PropertyRow{"scaled", kRelation, nullptr, TwiceToFourTimes, 400, 99, 40},
    PropertyRow{"mirrored-bytes", kRelation, nullptr, CheckMirroredBytes, 400, 40, 40},
    PropertyRow{"swapped-quadrants", kRelation, nullptr, CheckSwappedQuadrants, 400, 50, 40},
    PropertyRow{"unrolled", kRelation, nullptr, CheckUnrolled, 400, 50, 40},
    PropertyRow{"peeled", kRelation, nullptr, CheckPeeled, 400, 50, 40},
    PropertyRow{"fewer-trips", kRelation, nullptr, CheckFewerTrips, 600, 20, 40},
    PropertyRow{"reversed", kRelation, nullptr, CheckReversed, 600, 80, 0},
    PropertyRow{"allocated-again", kRelation, nullptr, CheckAllocatedAgain, 400, 85, 40},
    PropertyRow{"more-capacity", kRelation, nullptr, SomeGranulesMore, 1000, 90, 40},
    PropertyRow{"slower-dma", kRelation, nullptr, CheckSlowerDma, 60, 85, 40},
};

// FNV-1a.
std::uint64_t SeedOf(Bits bytes) {
  std::uint64_t seed = 14695981039346656037u;
  for (const std::uint8_t byte : bytes) seed = (seed ^ byte) * 1099511628211u;
  return seed >> 32;
}

}  // namespace

std::span<const PropertyRow> AllProperties() { return kRows; }

RelationVerdict AskProperty(const PropertyRow& row, std::span<const std::uint8_t> bytes) {
  if (row.of_bytes != nullptr) return row.of_bytes(bytes);
  std::vector<std::uint8_t> unplaced(bytes.begin(), bytes.end());
  constexpr std::size_t kFlags = 3;
  if (unplaced.size() > kFlags) unplaced[kFlags] = 0;
  const AllocationProblem problem = DecodeProblem(unplaced);
  return row.of_case({problem.kernel, problem.sbuf_bytes, problem.target,
                      ClosedFormFor(problem.target), SeedOf(bytes)});
}

}  // namespace spillway
