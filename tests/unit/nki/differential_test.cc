// Random rings: the check's verdict against those of the judges, and its numbers against both.
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "model/alloc/check/block_reuse.h"
#include "model/alloc/check/reaching_writers.h"
#include "model/alloc/ir/evaluate_modulo_law.h"
#include "model/alloc/nki/check_tile_lifetimes.h"
#include "tests/unit/nki/rings.h"

namespace spillway::nki {
namespace {

struct RandomRings {
  Kernel kernel;
  std::vector<TensorId> rings;
  bool apart = true;  ///< no two rings share bytes, as they are placed first
};

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : random_(seed) {}

  std::int64_t Below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }

  // Rings of one or two dimensions in a nest; each is loaded once an iteration, in one piece or in
  // halves, and stored some iterations later, perhaps twice, or all of it behind the loops.
  RandomRings Draw() {
    constexpr std::int64_t kRowsOfTiles = 400;
    RandomRings made;
    RingKernel kernel(kRowsOfTiles);
    const std::int64_t outer = 1 + Below(2);
    const std::int64_t trips = 3 + Below(5);
    made.apart = Below(4) > 0;
    std::int64_t next = 0;
    std::int64_t row = 0;
    const std::int64_t count = 1 + Below(3);
    std::vector<bool> is_nested;
    for (std::int64_t r = 0; r < count; ++r) {
      is_nested.push_back(Below(2) == 0);
      std::vector<std::int64_t> blocks = {trips};
      std::vector<std::int64_t> tiles = {1 + Below(4)};
      if (is_nested.back()) {
        blocks.insert(blocks.begin(), outer);
        tiles.insert(tiles.begin(), 1 + Below(2));
      }
      const std::int64_t base = made.apart ? next : Below(3) * kTileBytes;
      made.rings.push_back(kernel.Ring("k" + std::to_string(r), blocks, tiles, base));
      next += tiles.front() * tiles.back() * kTileBytes;
    }
    const AffineExpr o = kernel.Open("o", outer);
    const AffineExpr i = kernel.Open("i", trips);
    for (std::int64_t r = 0; r < count; ++r) {
      const TensorId ring = made.rings[static_cast<std::size_t>(r)];
      const bool nested = is_nested[static_cast<std::size_t>(r)];
      const auto block = [&](const AffineExpr& inner) {
        return nested ? std::vector<AffineExpr>{o, inner} : std::vector<AffineExpr>{inner};
      };
      const auto load = [&] { kernel.Load(ring, block(i), o * trips + i + r * 20); };
      const std::int64_t reads = 1 + Below(2);
      const bool late = Below(4) == 0;
      if (!late) load();
      for (std::int64_t read = 0; read < reads; ++read) {
        const std::int64_t skew = (late ? 1 : 0) + Below(3);
        kernel.Store(ring, block(i - skew), o * trips + i + row).When(AtLeast(i, skew));
        row += outer * trips;
      }
      if (late) load();
    }
    kernel.Close();
    kernel.Close();
    if (Below(5) == 0) {
      const AffineExpr j = kernel.Open("j", trips);
      const AffineExpr last(outer - 1);
      kernel.Store(made.rings[0],
                   is_nested[0] ? std::vector<AffineExpr>{last, j} : std::vector<AffineExpr>{j},
                   j + row);
      kernel.Close();
    }
    made.kernel = kernel.Build();
    return made;
  }

 private:
  std::mt19937_64 random_;
};

Placement WithDram(const Kernel& kernel, Placement placement) {
  ByteOffset next(0);
  for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& tensor = kernel.tensors[TensorId(t)];
    if (tensor.space != Space::kDram) continue;
    placement.addresses[TensorId(t)] = {{Partition(0), next}};
    next = next + BlockBytes(tensor);
  }
  return placement;
}

bool ReachingWritersObject(const Kernel& kernel, const Placement& placement) {
  return !CheckReachingWriters(kernel, kernel, WithDram(kernel, placement)).violations.empty();
}

bool BlocksAreClobbered(const LinearKernel& linear, const Placement& placement,
                        const std::vector<TensorId>& rings) {
  constexpr std::int64_t kSteps = 100000;
  for (const TensorId ring : rings) {
    if (!check::FindBlockClobbers(linear, ring, placement.addresses[ring], kSteps).clobbers.empty())
      return true;
  }
  return false;
}

TEST(TileLifetimesDifferentialTest, AgreesWithTheUnrolledRunAndWithTheJudgeOfRings) {
  constexpr int kCases = 600;
  int wrong = 0;
  int right = 0;
  int across = 0;
  for (int number = 0; number < kCases; ++number) {
    const RandomRings c = Drawer(static_cast<std::uint64_t>(number)).Draw();
    const Placement placement = FixedPlacement(c.kernel);
    const TileLifetimes found = FindTileFaults(c.kernel, placement);
    EXPECT_EQ(!found.faults.empty(), ReachingWritersObject(c.kernel, placement)) << number;
    if (c.apart) {
      EXPECT_EQ(!found.faults.empty(), BlocksAreClobbered(Linearize(c.kernel), placement, c.rings))
          << number;
    }
    ++(found.faults.empty() ? right : wrong);
    for (const TileFault& fault : found.faults) {
      EXPECT_NE(fault.kind, TileFaultKind::kUnloaded) << number;
      if (fault.kind == TileFaultKind::kOverlap) {
        ++across;
        break;
      }
    }
  }
  std::cout << wrong << " wrong, " << right << " right, " << across << " across tensors\n";
  EXPECT_GE(wrong, kCases * 3 / 10);
  EXPECT_GE(right, kCases * 2 / 10);
  EXPECT_GE(across, kCases / 20);
}

TEST(TileLifetimesDifferentialTest, TheNumberThatWouldDoIsRightAndOneFewerIsWrong) {
  constexpr int kCases = 300;
  int grown = 0;
  for (int number = 0; number < kCases; ++number) {
    RandomRings c = Drawer(1000 + static_cast<std::uint64_t>(number)).Draw();
    Placement placement = FixedPlacement(c.kernel);
    std::vector<TileCounts> counts;
    std::int64_t next = 0;
    const auto place = [&](TensorId ring, const std::vector<std::int64_t>& tiles,
                           std::int64_t base) {
      ModuloLaw law;
      law.base_addr = ByteOffset(base);
      law.num_free_tiles = tiles;
      placement.addresses[ring] = *EvaluateModuloLaw(c.kernel.tensors[ring], law);
    };
    std::vector<std::int64_t> bases;
    for (const TensorId ring : c.rings) {
      const TileNeeds needs = RequiredTiles(c.kernel, placement, ring);
      ASSERT_TRUE(needs.correct) << number;
      counts.push_back(*needs.correct);
      bases.push_back(next);
      next += counts.back().tiles * kTileBytes;
    }
    for (std::size_t r = 0; r < c.rings.size(); ++r) place(c.rings[r], counts[r].counts, bases[r]);
    EXPECT_TRUE(FindTileFaults(c.kernel, placement).faults.empty()) << number;
    EXPECT_FALSE(ReachingWritersObject(c.kernel, placement)) << number;
    for (std::size_t r = 0; r < c.rings.size(); ++r) {
      for (std::size_t d = 0; d < counts[r].counts.size(); ++d) {
        std::vector<std::int64_t> fewer = counts[r].counts;
        if (--fewer[d] == 0) continue;
        ++grown;
        place(c.rings[r], fewer, bases[r]);
        EXPECT_FALSE(FindTileFaults(c.kernel, placement).faults.empty()) << number;
        EXPECT_TRUE(ReachingWritersObject(c.kernel, placement)) << number;
        place(c.rings[r], counts[r].counts, bases[r]);
      }
    }
  }
  EXPECT_GE(grown, kCases);
}

}  // namespace
}  // namespace spillway::nki
