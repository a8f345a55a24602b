#include "sim/tool/hwm_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <sstream>

namespace spillway {
namespace {

using ::testing::HasSubstr;

Target Named(const char* name) { return FindTarget(name).value(); }

const std::vector<HwmProbe>& Trn2Table() {
  static const std::vector<HwmProbe> table = HwmTable(Named("trn2")).value();
  return table;
}

const HwmProbe& Find(const std::string& name, std::int64_t size, const std::string& dtype,
                     const std::string& engine) {
  const auto found = std::ranges::find_if(Trn2Table(), [&](const HwmProbe& probe) {
    return probe.name == name && probe.size == size && probe.dtype == dtype &&
           probe.engine == engine && probe.partitions == 128;
  });
  SPILLWAY_CHECK(found != Trn2Table().end(), "the table has " + name);
  return *found;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

HwmProbe PricedAt(std::vector<std::optional<std::int64_t>> cycles) {
  HwmProbe probe{.kind = "access", .name = "sbuf"};
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i]) probe.prices[i].cycles = Cycles(*cycles[i]);
  }
  return probe;
}

TEST(HwmProbe, TheDifferenceIsOfTheDearestToTheCheapest) {
  EXPECT_DOUBLE_EQ(*PricedAt({100, 80, 90}).Difference(), 0.25);
  EXPECT_FALSE(PricedAt({100, 80, 90}).Differs()) << "25 % isn't more than 25 %";
  EXPECT_TRUE(PricedAt({101, 80, 90}).Differs());
  EXPECT_DOUBLE_EQ(*PricedAt({std::nullopt, 80, 90}).Difference(), 0.125);
  EXPECT_FALSE(PricedAt({std::nullopt, 80, std::nullopt}).Difference());
  EXPECT_FALSE(PricedAt({std::nullopt, 80, std::nullopt}).Differs());
}

// 128 x 2 KiB on trn2: 1300 + 712 ns; 1300 + 840 ns; that and the semaphore's 30 ns.
TEST(HwmTable, AnAccessToDramHasThreePrices) {
  const HwmProbe& probe = Find("dram", 2048, "", "");
  EXPECT_EQ(probe.prices[0].cycles, Cycles(1933));
  EXPECT_EQ(probe.prices[1].cycles, Cycles(2055));
  EXPECT_EQ(probe.prices[2].cycles, Cycles(2084));
  EXPECT_FALSE(probe.Differs());
  for (const OraclePrice& price : probe.prices) EXPECT_FALSE(price.rule.source.empty());
}

TEST(HwmTable, AnOperationWithoutARuleIsUnpricedInThatColumnOnly) {
  const HwmProbe& probe = Find("topk", 512, "float32", "dve");
  EXPECT_FALSE(probe.prices[0].cycles);
  EXPECT_TRUE(probe.prices[1].cycles);
  EXPECT_TRUE(probe.prices[2].cycles);
}

TEST(HwmTable, EveryPriceHasARuleAndNoneIsFree) {
  for (const Target& target : BuiltInTargets()) {
    const auto table = HwmTable(target);
    ASSERT_TRUE(table) << target.name;
    for (const HwmProbe& probe : *table) {
      for (const OraclePrice& price : probe.prices) {
        if (!price.cycles) continue;
        EXPECT_GT(*price.cycles, Cycles(0)) << target.name << " " << probe.name;
        EXPECT_FALSE(price.rule.source.empty()) << target.name << " " << probe.name;
      }
      EXPECT_TRUE(probe.prices[1].cycles) << target.name << " " << probe.name;
    }
  }
}

TEST(HwmText, FitsIntoAHundredAndTwentyColumns) {
  for (const Target& target : BuiltInTargets()) {
    for (const std::string& line : Lines(HwmText(target, HwmTable(target).value()))) {
      // The only letter outside ASCII is the section sign, of two bytes.
      const auto wide = std::ranges::count(line, '\xC2');
      EXPECT_LE(static_cast<std::int64_t>(line.size()) - wide, 120) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(HwmText, ALongSourceIsWrapped) {
  std::vector<HwmProbe> probes = {PricedAt({100, 80, 90})};
  for (const std::string& source : {std::string(500, 'x'), "word " + std::string(115, 'y')}) {
    probes[0].prices[0].rule.source = source;
    std::string letters;
    for (const std::string& line : Lines(HwmText(Named("trn2"), probes))) {
      EXPECT_LE(line.size(), 120u) << line;
      std::ranges::copy_if(line, std::back_inserter(letters),
                           [&](char c) { return c == source.back(); });
    }
    EXPECT_GE(std::ranges::count(letters, source.back()),
              std::ranges::count(source, source.back()));
  }
}

TEST(HwmText, MarksWhatDiffersAndSaysWhatIsUnpriced) {
  const std::string text = HwmText(Named("trn2"), Trn2Table());
  std::int64_t stars = 0;
  std::int64_t unpriced = 0;
  for (const std::string& line : Lines(text)) {
    stars += line.ends_with("% *");
    unpriced += line.find("unpriced") != std::string::npos;
  }
  const auto differing =
      std::ranges::count_if(Trn2Table(), [](const HwmProbe& probe) { return probe.Differs(); });
  EXPECT_GT(differing, 0);
  EXPECT_EQ(stars, differing);
  EXPECT_GT(unpriced, 0);
  EXPECT_THAT(text, HasSubstr(std::to_string(differing) + " of " +
                              std::to_string(Trn2Table().size()) + " differ"));
}

TEST(HwmText, EveryBracketLeadsToARuleBelow) {
  const std::vector<std::string> lines =
      Lines(HwmText(Named("trn1"), HwmTable(Named("trn1")).value()));
  std::size_t highest = 0;
  std::size_t rules = 0;
  for (const std::string& line : lines) {
    const bool is_rule = line.find('[') < 7 && line.find('[') != std::string::npos;
    rules += is_rule;
    if (is_rule || line.find("[n]") != std::string::npos) continue;
    for (std::size_t at = line.find('['); at != std::string::npos; at = line.find('[', at + 1))
      highest = std::max(highest, static_cast<std::size_t>(std::stoul(line.substr(at + 1))));
  }
  EXPECT_GT(highest, 5u);
  EXPECT_EQ(highest, rules);
}

TEST(HwmJson, HasWhatTheTextHas) {
  rapidjson::Document document;
  const std::string json = HwmJson({{Named("trn2"), Trn2Table()}});
  ASSERT_FALSE(document.Parse(json.c_str()).HasParseError());
  const auto& target = document["targets"][0];
  EXPECT_STREQ(target["name"].GetString(), "trn2");
  EXPECT_EQ(target["reference_hertz"].GetInt64(), 960'000'000);
  ASSERT_EQ(target["probes"].Size(), Trn2Table().size());
  for (rapidjson::SizeType i = 0; i < target["probes"].Size(); ++i) {
    const auto& probe = target["probes"][i];
    const HwmProbe& expected = Trn2Table()[i];
    EXPECT_EQ(probe["differs"].GetBool(), expected.Differs());
    EXPECT_EQ(probe[expected.kind == "instruction" ? "elements" : "bytes"].GetInt64(),
              expected.size);
    for (std::size_t o = 0; o < kOracleNames.size(); ++o) {
      const auto& price = probe["prices"][std::string(kOracleNames[o]).c_str()];
      ASSERT_EQ(price.IsNull(), !expected.prices[o].cycles);
      if (price.IsNull()) continue;
      EXPECT_EQ(price["cycles"].GetInt64(), expected.prices[o].cycles->value);
      EXPECT_EQ(price["source"].GetString(), expected.prices[o].rule.source);
      EXPECT_EQ(price["confidence"].GetString(),
                ConfidenceName(expected.prices[o].rule.confidence));
    }
  }
}

TEST(Oracle, EveryNameMakesItsOracleAndNoOtherDoes) {
  for (const std::string_view name : kOracleNames) {
    const auto oracle = MakeOracle(name, Named("trn3"));
    ASSERT_TRUE(oracle) << name;
    EXPECT_EQ((*oracle)->Name(), std::string(name) + " trn3");
  }
  const auto unknown = MakeOracle("delphi", Named("trn3"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, "unknown-oracle");
  EXPECT_THAT(unknown.error().message, HasSubstr("measured"));
}

}  // namespace
}  // namespace spillway
