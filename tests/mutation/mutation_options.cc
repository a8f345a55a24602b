#include "tests/mutation/mutation_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "properties/fault_catalogue.h"

namespace spillway {
namespace {

Result<std::int64_t> NumberIn(const std::string& name, const std::string& text, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= most)
    return number;
  return Fail({Kind::kSyntax, "option-value",
               fmt::format("{}: expected a number from 1 to {}, found \"{}\"", name, most, text),
               "", 0});
}

Result<std::vector<std::string>> FaultsOf(const std::string& list) {
  const std::vector<std::string> known = PlantableFaults();
  std::vector<std::string> faults;
  std::istringstream stream(list);
  for (std::string id; std::getline(stream, id, ',');) {
    if (id != "none" && std::find(known.begin(), known.end(), id) == known.end()) {
      return Fail(
          {Kind::kUnknownName, "unknown-fault",
           fmt::format("--only: nothing can be planted as \"{}\"; a row with variants takes "
                       "a number, such as B22.0, and \"none\" plants nothing",
                       id),
           "", 0});
    }
    faults.push_back(id);
  }
  if (faults.empty())
    return Fail({Kind::kSyntax, "option-value", "--only: expected ids, found none", "", 0});
  return faults;
}

}  // namespace

Result<MutationOptions> ParseMutationOptions(std::span<const std::string> arguments) {
  MutationOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--check") {
      options.check = true;
      continue;
    }
    constexpr std::array kWithValue = {"--cases", "--tests", "--only", "--out", "--keep", "--jobs"};
    if (std::find(kWithValue.begin(), kWithValue.end(), name) == kWithValue.end()) {
      return Fail({Kind::kUnknownName, "unknown-option",
                   fmt::format("expected --check or one of {} with a value, found \"{}\"",
                               fmt::join(kWithValue, ", "), name),
                   "", 0});
    }
    if (++i == arguments.size())
      return Fail({Kind::kSyntax, "option-value", name + ": expected a value, found none", "", 0});
    const std::string& value = arguments[i];
    if (name == "--tests") options.tests = value;
    if (name == "--out") options.out = value;
    if (name == "--keep") options.keep = value;
    if (name == "--only") {
      Result<std::vector<std::string>> faults = FaultsOf(value);
      if (!faults) return Fail(faults.error());
      options.faults = std::move(*faults);
    }
    if (name == "--cases" || name == "--jobs") {
      const bool cases = name == "--cases";
      constexpr std::int64_t kMostCases = 1'000'000'000;
      constexpr std::int64_t kMostJobs = 1024;
      const Result<std::int64_t> number = NumberIn(name, value, cases ? kMostCases : kMostJobs);
      if (!number) return Fail(number.error());
      if (cases) options.cases = *number;
      if (!cases) options.jobs = static_cast<int>(*number);
    }
  }
  if (!options.faults.empty()) return options;
  options.faults = PlantableFaults();
  options.faults.insert(options.faults.begin(), "none");
  return options;
}

}  // namespace spillway
