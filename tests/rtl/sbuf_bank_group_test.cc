#include <gmock/gmock.h>

#include "model/hw/engine.h"
#include "tests/rtl/sbuf_bank_group_stimulus.h"

namespace spillway {
namespace {

using ::testing::SizeIs;

constexpr RtlModule kSbuf = RtlModule::kSbufBankGroup;
constexpr std::uint64_t kPoisonCycles = kSbufRows + kResetCycles;
using Ports = std::array<SbufScript::Port, kSbufPorts>;

std::uint64_t ExpectTraffic(const SbufMix& mix, std::uint64_t cycles) {
  SCOPED_TRACE(fmt::format("seed {}", mix.seed));
  const auto findings = std::make_shared<Findings>();
  const LockstepResult result = ExpectLockstep<RandomSbufTraffic>(kSbuf, cycles, findings, mix);
  EXPECT_GT(findings->checked, cycles);
  return result.transactions;
}

SbufGrants ExpectScript(const Ports& ports, std::uint64_t cycles) {
  const auto grants = std::make_shared<SbufGrants>();
  ExpectLockstep<SbufScript>(kSbuf, kPoisonCycles + cycles, std::make_shared<Findings>(), ports,
                             grants);
  return *grants;
}

// `count` reads of rows of one bank.
std::deque<SbufRequest> Reads(std::uint32_t bank, std::uint32_t count) {
  std::deque<SbufRequest> requests;
  for (std::uint32_t i = 0; i < count; ++i) {
    requests.push_back({.address = (i % kSbufRows) * kSbufBanks + bank});
  }
  return requests;
}

TEST(SbufBankGroup, HasAPortForEachEngineThatReachesSbuf) {
  int ports = 0;
  for (int e = 0; e < kEngineCount; ++e) {
    const auto engine = static_cast<Engine>(e);
    if (CanRead(engine, Space::kSbuf) || CanWrite(engine, Space::kSbuf)) ++ports;
  }
  EXPECT_EQ(ports, kSbufPorts);
}

TEST(SbufBankGroup, RandomTrafficAgreesWithTheTwin) {
  std::uint64_t transactions = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    transactions +=
        ExpectTraffic({.seed = seed, .request = seed * 16, .take = 100 - seed * 8}, 10000);
  }
  EXPECT_GT(transactions, 100000U);
}

TEST(SbufBankGroup, TrafficOfAllPortsOnOneBankAgreesWithTheTwin) {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    ExpectTraffic({.seed = seed, .addresses = 3, .stride = kSbufBanks, .request = 100, .take = 90},
                  10000);
  }
}

TEST(SbufBankGroup, TrafficOnTwoWordsAgreesWithTheTwin) {
  for (std::uint64_t seed = 21; seed <= 24; ++seed) {
    ExpectTraffic({.seed = seed, .addresses = 2, .write = 30, .take = 60}, 10000);
  }
}

TEST(SbufBankGroup, ResetAtAnyTimePoisonsEveryWord) {
  for (std::uint64_t seed = 31; seed <= 34; ++seed) {
    ExpectTraffic({.seed = seed, .write = 20, .resets_in_10000 = 60}, 10000);
  }
}

TEST(SbufBankGroup, EveryWordIsPoisonAfterReset) {
  Ports ports;
  for (std::uint32_t bank = 0; bank < kSbufBanks; ++bank) {
    ports[bank].requests = Reads(bank, kSbufRows);
  }
  const auto findings = std::make_shared<Findings>();
  const auto grants = std::make_shared<SbufGrants>();
  const LockstepResult result =
      ExpectLockstep<SbufScript>(kSbuf, kPoisonCycles + kSbufRows + 10, findings, ports, grants);
  EXPECT_EQ(result.transactions, 2 * kSbufWords) << "a request and an answer for every word";
}

TEST(SbufBankGroup, PortsOnDifferentBanksGetAnAccessEveryCycle) {
  constexpr std::uint32_t kCount = 100;
  Ports ports;
  for (std::uint32_t bank = 0; bank < kSbufBanks; ++bank) {
    ports[bank].requests = Reads(bank, kCount);
  }
  const SbufGrants grants = ExpectScript(ports, kCount + 10);
  for (std::uint32_t bank = 0; bank < kSbufBanks; ++bank) {
    ASSERT_THAT(grants[bank], SizeIs(kCount));
    EXPECT_EQ(grants[bank].back() - grants[bank].front(), kCount - 1);
  }
}

TEST(SbufBankGroup, PortsThatAllWantOneBankGetItInTurn) {
  constexpr std::uint32_t kCount = 40;
  Ports ports;
  for (SbufScript::Port& port : ports) port.requests = Reads(2, kCount);
  const SbufGrants grants = ExpectScript(ports, kCount * kSbufPorts + 10);
  for (std::size_t p = 0; p < kSbufPorts; ++p) {
    ASSERT_THAT(grants[p], SizeIs(kCount));
    EXPECT_EQ(grants[p].front(), grants[0].front() + p);
    for (std::size_t i = 1; i < kCount; ++i) {
      EXPECT_EQ(grants[p][i] - grants[p][i - 1], static_cast<std::uint64_t>(kSbufPorts));
    }
  }
}

TEST(SbufBankGroup, APortWhoseAnswersNobodyTakesStopsAloneAfterTwo) {
  constexpr std::uint32_t kCount = 30;
  Ports ports;
  for (SbufScript::Port& port : ports) port.requests = Reads(1, kCount);
  ports[3].takes_responses = false;
  const SbufGrants grants = ExpectScript(ports, kCount * kSbufPorts + 10);
  EXPECT_THAT(grants[3], SizeIs(2));
  for (const std::size_t p : {0U, 1U, 2U, 4U}) EXPECT_THAT(grants[p], SizeIs(kCount)) << p;
}

TEST(SbufBankGroup, AWriteChangesTheBytesOfItsStrobeAlone) {
  Ports ports;
  for (std::uint32_t strobe = 0; strobe < 16; ++strobe) {
    ports[4].requests.push_back({true, strobe, strobe, 0x01020304});
    ports[4].requests.push_back({.address = strobe});
  }
  EXPECT_THAT(ExpectScript(ports, 60)[4], SizeIs(32));
}

}  // namespace
}  // namespace spillway
