#include "properties/random_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/hw/target_rows.h"

namespace spillway {
namespace {

std::int64_t RowCount(const Target& target) {
  std::int64_t rows = 0;
  ForEachRow(target, [&](std::string_view, std::string_view, RowLimits, const auto&) { ++rows; });
  return rows;
}

// Near what the row holds, at its limits, or a power of two.
std::int64_t ValueFor(std::int64_t now, const RowLimits& limits, std::uint8_t choice) {
  std::int64_t value = now;
  switch (choice % 8) {
    case 0: value = now + 1; break;
    case 1: value = now - 1; break;
    case 2: value = now * 2; break;
    case 3: value = now / 2; break;
    case 4: value = limits.min; break;
    case 5: value = limits.max; break;
    default: value = std::int64_t{1} << (choice / 8 % 20); break;
  }
  return std::clamp(value, limits.min, limits.max);
}

void ChangeRow(Target& target, std::int64_t row, std::uint8_t choice) {
  std::int64_t at = 0;
  Target changed = target;
  ForEachRow(changed,
             [&](std::string_view, std::string_view, const RowLimits& limits, auto& sourced) {
               if (at++ != row) return;
               std::int64_t& number = RawNumber(sourced.value);
               number = ValueFor(number, limits, choice);
               sourced.source = "random";
               sourced.confidence = Confidence::kAssumed;
             });
  if (BrokenRelation(changed).empty()) target = std::move(changed);
}

}  // namespace

Target BaseOf(std::span<const std::uint8_t> bytes) {
  constexpr std::array<const char*, 4> kNames = {"trn2", "trn1", "trn3", "inf1"};
  return FindTarget(kNames[bytes.empty() ? 0 : bytes[0] % kNames.size()]).value();
}

Target DecodeTarget(std::span<const std::uint8_t> bytes) {
  Target target = BaseOf(bytes);
  target.name += "-random";
  target.aliases.clear();
  const std::int64_t rows = RowCount(target);
  for (std::size_t at = 1; at + 1 < bytes.size(); at += 2) {
    ChangeRow(target, bytes[at] % rows, bytes[at + 1]);
  }
  return target;
}

std::string TargetFile(const Target& target, const Target& base) {
  std::string rows;
  const auto add = [&](std::string_view key, std::int64_t value) {
    rows += fmt::format(
        "{}\n  \"{}\": {{\"value\": {}, \"source\": \"random\", \"confidence\": \"assumed\"}}",
        rows.empty() ? "" : ",", key, value);
  };
  std::vector<std::int64_t> before;
  ForEachRow(base, [&](std::string_view, std::string_view, RowLimits, const auto& row) {
    before.push_back(RawNumber(row.value));
  });
  std::size_t at = 0;
  ForEachRow(target, [&](std::string_view key, std::string_view, RowLimits, const auto& row) {
    if (RawNumber(row.value) != before[at++]) add(key, RawNumber(row.value));
  });
  return fmt::format("{{\"name\": \"{}\", \"base\": \"{}\", \"rows\": {{{}}}}}\n", target.name,
                     base.name, rows);
}

}  // namespace spillway
