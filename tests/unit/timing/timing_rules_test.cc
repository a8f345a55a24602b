#include "model/hw/timing/timing_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/hw/timing/instruction_cost.h"

namespace spillway {
namespace {

const TimingRule* Find(const std::vector<TimingRule>& rules, const std::string& resource,
                       const std::string& rule) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const TimingRule& r) {
    return r.resource == resource && r.rule == rule;
  });
  return found == rules.end() ? nullptr : &*found;
}

TEST(TimingRules, EveryRuleHasAllItsParts) {
  for (const Target& target : BuiltInTargets()) {
    for (const TimingRule& rule : TimingRules(target)) {
      EXPECT_EQ(rule.generation, target.name);
      EXPECT_FALSE(rule.resource.empty() || rule.rule.empty() || rule.expression.empty() ||
                   rule.unit.empty() || rule.source.empty())
          << rule.resource << " " << rule.rule;
    }
  }
}

TEST(TimingRules, NumbersAreTheTargetsOwn) {
  Target target = FindTarget("trn2").value();
  target.dma_engine_floor.value = Picoseconds(33'000);
  target.static_overhead.value = Cycles(777);
  const std::vector<TimingRule> rules = TimingRules(target);
  const TimingRule* engine = Find(rules, "dma engine", "descriptor to descriptor, any queues");
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->expression, "max(33, 6 + B / 23)");
  const TimingRule* latency = Find(rules, "act, dve", "latency");
  ASSERT_NE(latency, nullptr);
  EXPECT_THAT(latency->expression, ::testing::HasSubstr("+ 777"));
}

TEST(TimingRules, EachGenerationHasTheRowsThatApplyToIt) {
  const auto has = [](const char* target, const char* resource, const char* rule) {
    return Find(TimingRules(FindTarget(target).value()), resource, rule) != nullptr;
  };
  EXPECT_TRUE(has("trn2", "dve", "tensor_copy, SBUF, 16 bits, contiguous"));
  EXPECT_FALSE(has("trn1", "dve", "tensor_copy, SBUF, 16 bits, contiguous"));
  EXPECT_TRUE(has("trn3", "dve", "exponential"));
  EXPECT_FALSE(has("trn2", "dve", "exponential"));
  EXPECT_TRUE(has("trn2", "pe", "ramp"));
  EXPECT_FALSE(has("trn1", "pe", "ramp"));
}

TEST(TimingRules, EveryRowOfTheCostTableIsThere) {
  const Target newest = FindTarget("trn3").value();
  std::size_t instructions = 0;
  for (const TimingRule& rule : TimingRules(newest)) {
    for (const InstructionCostRow& row : InstructionCostRows()) {
      if (row.source == rule.source && rule.unit == "cycles" &&
          rule.rule.starts_with(row.op.empty() ? "any other" : row.op)) {
        ++instructions;
        break;
      }
    }
  }
  EXPECT_EQ(instructions, InstructionCostRows().size());
}

}  // namespace
}  // namespace spillway
