#include <gmock/gmock.h>

#include "model/hw/target.h"
#include "tests/rtl/psum_bank_stimulus.h"

namespace spillway {
namespace {

constexpr RtlModule kPsum = RtlModule::kPsumBank;
constexpr std::uint64_t kPoisonCycles = kPsumWords + kResetCycles;

PsumStep Start(std::uint32_t address, std::uint32_t data) {
  return {PsumWrite{true, address, data}, std::nullopt};
}
PsumStep Add(std::uint32_t address, std::uint32_t data) {
  return {PsumWrite{false, address, data}, std::nullopt};
}
PsumStep Read(std::uint32_t address) { return {std::nullopt, address}; }

LockstepResult ExpectTraffic(const PsumMix& mix, std::uint64_t cycles) {
  SCOPED_TRACE(fmt::format("seed {}", mix.seed));
  const auto findings = std::make_shared<Findings>();
  LockstepResult result = ExpectLockstep<RandomPsumTraffic>(kPsum, cycles, findings, mix);
  EXPECT_GT(findings->checked, cycles / 40);
  return result;
}

TEST(PsumBank, HasTheWordsOfTheTargetsBank) {
  for (const Target& target : BuiltInTargets()) {
    EXPECT_EQ(target.psum_bank_bytes.value.value, 4 * kPsumWords) << target.name;
  }
}

TEST(PsumBank, RandomTrafficOverAllWordsAgreesWithTheTwin) {
  std::uint64_t transactions = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    transactions += ExpectTraffic({.seed = seed}, 20000).transactions;
  }
  EXPECT_GT(transactions, 100000U);
}

TEST(PsumBank, RandomTrafficOnFewWordsAgreesWithTheTwin) {
  std::uint64_t transactions = 0;
  for (std::uint64_t seed = 11; seed <= 22; ++seed) {
    PsumMix mix{.seed = seed, .addresses = static_cast<std::uint32_t>(1 + seed % 4)};
    mix.write = seed % 3 == 0 ? 100 : 70;
    mix.start = seed % 5 * 20;
    mix.read = seed % 2 == 0 ? 100 : 30;
    mix.take = seed % 7 == 0 ? 10 : 90;
    transactions += ExpectTraffic(mix, 15000).transactions;
  }
  EXPECT_GT(transactions, 100000U);
}

TEST(PsumBank, ResetAtAnyTimePoisonsEveryWord) {
  for (std::uint64_t seed = 31; seed <= 34; ++seed) {
    ExpectTraffic({.seed = seed, .read = 90, .take = 95, .resets_in_10000 = 8}, 30000);
  }
}

TEST(PsumBank, EveryWordIsPoisonAfterReset) {
  std::vector<PsumStep> steps;
  for (std::uint32_t address = 0; address < kPsumWords; ++address) steps.push_back(Read(address));
  const auto findings = std::make_shared<Findings>();
  ExpectLockstep<PsumScript>(kPsum, kPoisonCycles + 2 * kPsumWords + 20, findings, steps);
  EXPECT_EQ(findings->checked, kPsumWords);
}

TEST(PsumBank, AccumulationsOnOneWordFollowEveryThirdCycle) {
  const std::vector<PsumStep> steps(20, Add(7, 0x3F800000));
  const auto cycles = std::make_shared<std::vector<std::uint64_t>>();
  ExpectLockstep<PsumScript>(kPsum, kPoisonCycles + 100, std::make_shared<Findings>(), steps,
                             cycles);
  ASSERT_EQ(cycles->size(), steps.size());
  // The first leaves its stage at once; from then on each waits for the sum before it.
  for (std::size_t i = 2; i < cycles->size(); ++i) {
    EXPECT_EQ((*cycles)[i] - (*cycles)[i - 1], 3U) << i;
  }
}

TEST(PsumBank, AccumulationsOnDifferentWordsFollowEveryCycle) {
  std::vector<PsumStep> steps;
  for (std::uint32_t i = 0; i < 30; ++i) steps.push_back(Add(i % 3, 0x3F800000));
  for (std::uint32_t i = 0; i < 30; ++i) steps.push_back(Start(5, i));
  const auto cycles = std::make_shared<std::vector<std::uint64_t>>();
  ExpectLockstep<PsumScript>(kPsum, kPoisonCycles + 100, std::make_shared<Findings>(), steps,
                             cycles);
  ASSERT_EQ(cycles->size(), steps.size());
  EXPECT_EQ(cycles->back() - cycles->front(), steps.size() - 1);
}

TEST(PsumBank, SumsOfSpecialValuesAreRight) {
  const std::vector<std::uint32_t> special = {
      0x00000000, 0x80000000,                          // zeros
      0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF,  // subnormals
      0x00800000, 0x80800000, 0x00800001,              // smallest normals
      0x3F800000, 0xBF800000, 0x3F800001, 0xBF7FFFFF,  // around one
      0x33800000, 0x33800001, 0xB3000000, 0xB3000001,  // half a unit in the last place of one
      0x4B800000, 0xCB7FFFFF, 0x34000000,              // 2^24, and the unit itself
      0x7F7FFFFF, 0xFF7FFFFF, 0x73000000, 0x72FFFFFF,  // largest, and half of its last place
      0x7F800000, 0xFF800000,                          // infinities
      0x7FC00000, 0xFFC00001, 0x7F800001, 0xFFFFFFFF,  // quiet and signalling NaN, poison
  };
  std::vector<PsumStep> steps;
  std::uint32_t address = 0;
  for (const std::uint32_t a : special) {
    for (const std::uint32_t b : special) {
      address = (address + 1) % kPsumWords;
      steps.push_back(Start(address, a));
      steps.push_back(Add(address, b));
      steps.push_back(Read(address));
    }
  }
  const auto findings = std::make_shared<Findings>();
  ExpectLockstep<PsumScript>(kPsum, kPoisonCycles + 12 * special.size() * special.size(), findings,
                             steps);
  EXPECT_EQ(findings->checked, special.size() * special.size());
}

TEST(PsumBank, RandomSumsAreRight) {
  Dice dice(20261130);
  std::vector<PsumStep> steps;
  constexpr std::uint64_t kSums = 20000;
  for (std::uint32_t i = 0; i < kSums; ++i) {
    const std::uint32_t a = dice.Bits32();
    // Exponents further apart than the fraction is long only show that the small one vanishes.
    const std::uint32_t near = (a >> 23) + dice.Below(52) - 26;
    const std::uint32_t b = (near & 0xFF) << 23 | (dice.Bits32() & 0x807FFFFF);
    steps.push_back(Start(i % kPsumWords, a));
    steps.push_back(Add(i % kPsumWords, b));
    steps.push_back(Read(i % kPsumWords));
  }
  const auto findings = std::make_shared<Findings>();
  ExpectLockstep<PsumScript>(kPsum, kPoisonCycles + 12 * kSums, findings, steps);
  EXPECT_EQ(findings->checked, kSums);
}

}  // namespace
}  // namespace spillway
