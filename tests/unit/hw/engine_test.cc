#include "model/hw/engine.h"

#include <gtest/gtest.h>

#include <array>

namespace spillway {
namespace {

TEST(Engine, EveryNameParsesToItsEngine) {
  for (int i = 0; i < kEngineCount; ++i) {
    const auto engine = static_cast<Engine>(i);
    EXPECT_EQ(ParseEngine(EngineName(engine)), engine);
  }
  EXPECT_EQ(ParseEngine("vector"), std::nullopt);
}

TEST(Space, EveryNameParsesToItsSpace) {
  for (const Space space : {Space::kDram, Space::kSbuf, Space::kPsum}) {
    EXPECT_EQ(ParseSpace(SpaceName(space)), space);
  }
  EXPECT_EQ(ParseSpace("SBUF"), std::nullopt);
}

struct Reach {
  Engine engine;
  std::string_view reads;  // initials of the spaces: d, s, p
  std::string_view writes;
};

// Source: isa_costs §2, the connectivity table.
constexpr std::array kReach = {
    Reach{Engine::kPe, "s", "p"},    Reach{Engine::kDve, "sp", "sp"},
    Reach{Engine::kAct, "sp", "sp"}, Reach{Engine::kPool, "s", "s"},
    Reach{Engine::kSp, "", ""},      Reach{Engine::kDma, "ds", "ds"},
};

TEST(Engine, ReachesTheSpacesOfTheConnectivityTable) {
  static_assert(kReach.size() == kEngineCount);
  for (const Reach& reach : kReach) {
    for (const Space space : {Space::kDram, Space::kSbuf, Space::kPsum}) {
      const char initial = SpaceName(space).front();
      EXPECT_EQ(CanRead(reach.engine, space), reach.reads.find(initial) != std::string_view::npos)
          << EngineName(reach.engine) << " reads " << SpaceName(space);
      EXPECT_EQ(CanWrite(reach.engine, space), reach.writes.find(initial) != std::string_view::npos)
          << EngineName(reach.engine) << " writes " << SpaceName(space);
    }
  }
}

}  // namespace
}  // namespace spillway
