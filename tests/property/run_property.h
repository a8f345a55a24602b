// Runs a property with a seed of its own and counts what its cases were.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace spillway {

/// Kinds of cases, counted outside of RapidCheck, whose labels assert nothing. Only of use in a run
/// that passes: shrinking adds cases.
class Shares {
 public:
  void Case() { ++cases_; }
  void Count(const std::string& kind, bool is) { counts_[kind] += is ? 1 : 0; }
  /// Fails the test where less than `percent` of the cases were of that kind.
  void AtLeast(const std::string& kind, int percent) {
    if (::testing::Test::HasFailure()) return;
    const double share = cases_ == 0 ? 0 : 100.0 * counts_[kind] / cases_;
    std::cout << kind << " " << static_cast<int>(share + 0.5) << "% ";
    EXPECT_GE(share, percent) << "of " << cases_ << " cases were: " << kind;
  }
  /// Fails the test where more than `percent` of the cases were of that kind.
  void AtMost(const std::string& kind, int percent) {
    if (::testing::Test::HasFailure()) return;
    const double share = cases_ == 0 ? 0 : 100.0 * counts_[kind] / cases_;
    std::cout << kind << " " << static_cast<int>(share + 0.5) << "% ";
    EXPECT_LE(share, percent) << "of " << cases_ << " cases were: " << kind;
  }

 private:
  int cases_ = 0;
  std::map<std::string, int> counts_;
};

/// SPILLWAY_PROPERTY_SEED changes the seed, SPILLWAY_PROPERTY_SCALE multiplies the cases. The name
/// of the property goes into the seed, so that two properties see different cases.
template <class Property>
void CheckProperty(std::string_view name, int cases, Property property) {
  const char* seed_text = std::getenv("SPILLWAY_PROPERTY_SEED");
  const char* scale_text = std::getenv("SPILLWAY_PROPERTY_SCALE");
  rc::detail::TestParams params;
  params.seed = seed_text == nullptr ? 2024 : std::strtoull(seed_text, nullptr, 10);
  // FNV-1a
  for (const char c : name)
    params.seed = (params.seed ^ static_cast<unsigned char>(c)) * 1099511628211u;
  params.maxSuccess = cases * (scale_text == nullptr ? 1 : std::atoi(scale_text));
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(name);
  metadata.description = std::string(name);
  const rc::detail::TestResult result =
      rc::detail::checkTestable(std::move(property), metadata, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
}

}  // namespace spillway
