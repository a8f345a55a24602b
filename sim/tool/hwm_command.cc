#include "sim/tool/hwm_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "sim/tool/json_report.h"
#include "sim/tool/text_report.h"

namespace spillway {
namespace {

constexpr int kBadInput = 3;

// `text` in lines that fit behind a rule's number and confidence: a target file may say anything.
std::string Wrapped(std::string_view text) {
  constexpr std::size_t kIndent = 18;
  constexpr std::size_t kWidth = 120 - kIndent;
  std::string lines;
  while (text.size() > kWidth) {
    const std::size_t space = text.find_last_of(' ', kWidth);
    const std::size_t end = space == std::string_view::npos || space == 0 ? kWidth : space;
    lines += std::string(text.substr(0, end)) + "\n" + std::string(kIndent, ' ');
    text.remove_prefix(std::min(text.size(), end + (end == space)));
  }
  return lines + std::string(text);
}

// The rules below the table, numbered as they first appear.
class Notes {
 public:
  std::size_t NumberOf(const PriceRule& rule) {
    const auto index = static_cast<std::size_t>(std::ranges::find(rules_, rule) - rules_.begin());
    if (index == rules_.size()) rules_.push_back(rule);
    return index + 1;
  }

  std::string Text() const {
    std::string text;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      text += fmt::format("  {:>4} {:<10} {}\n", fmt::format("[{}]", i + 1),
                          ConfidenceName(rules_[i].confidence), Wrapped(rules_[i].source));
    }
    return text;
  }

 private:
  std::vector<PriceRule> rules_;
};

std::string Size(const HwmProbe& probe) {
  const char* unit = probe.kind == "instruction" ? "elements" : "bytes";
  return fmt::format("{:>3} x {:>6} {}", probe.partitions, Grouped(probe.size), unit);
}

std::string Name(const HwmProbe& probe) {
  if (probe.engine.empty()) return probe.name;
  return fmt::format("{} on {}", probe.name, probe.engine);
}

std::string Line(const HwmProbe& probe, Notes& notes) {
  std::string line = fmt::format("  {:<31} {:<21} {:<8}", Name(probe), Size(probe), probe.dtype);
  for (const OraclePrice& price : probe.prices) {
    line += price.cycles ? fmt::format(" {:>8} {:<5}", Grouped(price.cycles->value),
                                       fmt::format("[{}]", notes.NumberOf(price.rule)))
                         : fmt::format(" {:>8} {:<5}", "unpriced", "");
  }
  if (const auto difference = probe.Difference())
    line += fmt::format(" {:>5.1f} %{}", *difference * 100, probe.Differs() ? " *" : "");
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string HwmText(const Target& target, const std::vector<HwmProbe>& probes) {
  std::string text = fmt::format(
      "{}: latencies in cycles of the reference clock, {} MHz; [n]: the rule below; *: the oracles "
      "differ by more than 25 %\n",
      target.name, target.reference_hertz.value / 1'000'000);
  Notes notes;
  std::string kind;
  std::int64_t differing = 0;
  for (const HwmProbe& probe : probes) {
    if (probe.kind != kind) {
      kind = probe.kind;
      text += fmt::format("\n  {:<31} {:<21} {:<8}", kind, "partitions x each", "type");
      for (const std::string_view oracle : kOracleNames) text += fmt::format(" {:>11}   ", oracle);
      text += " differ\n";
    }
    text += Line(probe, notes);
    differing += probe.Differs();
  }
  return text + fmt::format("\n{} of {} differ by more than 25 %\n\n", differing, probes.size()) +
         notes.Text();
}

int HwmCommand(const ToolOptions& options) {
  std::vector<Target> targets;
  if (options.target.empty()) {
    targets = BuiltInTargets();
  } else {
    Result<Target> found = FindTarget(options.target);
    if (!found) {
      std::cerr << found.error().ToString() << "\n";
      return kBadInput;
    }
    targets.push_back(std::move(*found));
  }
  std::vector<std::pair<Target, std::vector<HwmProbe>>> tables;
  for (Target& target : targets) {
    Result<std::vector<HwmProbe>> table = HwmTable(target);
    if (!table) {
      std::cerr << table.error().ToString() << "\n";
      return kBadInput;
    }
    tables.emplace_back(std::move(target), std::move(*table));
  }
  if (!options.json.empty()) {
    if (const Result<void> written = WriteText(options.json, HwmJson(tables)); !written) {
      std::cerr << written.error().ToString() << "\n";
      return kBadInput;
    }
    if (options.json == "-") return 0;
  }
  std::string text;
  for (const auto& [target, probes] : tables)
    text += (text.empty() ? "" : "\n") + HwmText(target, probes);
  std::cout << text;
  return 0;
}

}  // namespace spillway
