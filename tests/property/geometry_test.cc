// The geometric degree test, and simplify without a graph.
#include <gtest/gtest.h>

#include "properties/geometry_properties.h"
#include "properties/rapidcheck_kernels.h"
#include "tests/property/run_property.h"

namespace spillway {
namespace {

TEST(GeometricDegree, AResidualAboveZeroIsAPlaceWhereverTheNeighborsLie) {
  Shares shares;
  CheckProperty("geometry", 20000, [&] {
    const Neighborhood hood = DecodeNeighborhood(*AnyBytes(12));
    const SoundnessVerdict verdict = CheckGeometricDegree(hood);
    if (verdict.fault) RC_FAIL(*verdict.fault);
    shares.Case();
    shares.Count("certain", verdict.residual > 0);
    shares.Count("with neighbours", verdict.residual > 0 && !hood.neighbors.empty());
    shares.Count("conservative", verdict.residual <= 0 && verdict.always_has_a_place);
    shares.Count("shut out", !verdict.always_has_a_place);
  });
  shares.AtLeast("certain", 20);
  shares.AtLeast("with neighbours", 10);
  shares.AtLeast("conservative", 1);
  shares.AtLeast("shut out", 20);
}

TEST(Simplify, NeedsNoGraph) {
  Shares shares;
  CheckProperty("graph-free", 1500, [&] {
    const NodeSet set = DecodeNodeSet(*AnyBytes(300));
    if (const auto fault = CheckGraphFreeResidual(set)) RC_FAIL(*fault);
    shares.Case();
    shares.Count("ten nodes or more", set.nodes.size() >= 10);
  });
  shares.AtLeast("ten nodes or more", 50);
}

TEST(Simplify, FollowsItsRulesStepByStep) {
  CheckProperty("simplify order", 500, [] {
    if (const auto fault = CheckSimplifyOrder(DecodeNodeSet(*AnyBytes(200)))) RC_FAIL(*fault);
  });
}

TEST(Select, PlacesTheDefinitePartAndNothingOnAnything) {
  CheckProperty("colouring", 4000, [] {
    if (const auto fault = CheckColouring(DecodeNodeSet(*AnyBytes(300)))) RC_FAIL(*fault);
  });
}

TEST(ColourBest, IsNeverDearerForOneMoreOrder) {
  Shares shares;
  CheckProperty("best of n", 500, [&] {
    const NodeSet set = DecodeNodeSet(*AnyBytes(400));
    if (const auto fault = CheckBestOf(set)) RC_FAIL(*fault);
    shares.Case();
    shares.Count("something has no place", !BestOf(set, 1).selection.unplaced.empty());
    shares.Count("a later order is kept", BestOf(set, 6).attempt > 0);
  });
  shares.AtLeast("something has no place", 10);
  shares.AtLeast("a later order is kept", 3);
}

}  // namespace
}  // namespace spillway
