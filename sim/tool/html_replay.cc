#include "sim/tool/html_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/tool/html_pipeline_parts.h"
#include "sim/tool/html_tables.h"
#include "sim/tool/html_text.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr std::size_t kMostRows = 200;
constexpr std::size_t kMostTexts = 50;
constexpr std::size_t kLongestText = 1000;

/// "nominal latencies, jitter of seed 1, 2 with one actor held back".
std::string RunsText(const ReplayReport& report) {
  const task::Replay& replay = *report.replay;
  std::string text = "nominal latencies";
  if (replay.jittered_runs > 0) text += fmt::format(", jitter of seed {}", report.seed);
  if (replay.delayed_runs > 0)
    text += fmt::format(", {} with one actor held back", Grouped(replay.delayed_runs));
  if (replay.directed_runs > 0)
    text += fmt::format(", {} directed at a race", Grouped(replay.directed_runs));
  return text;
}

std::string Tiles(const ReplayReport& report) {
  constexpr std::int64_t kPicosecondsPerNanosecond = 1000;
  const task::Replay& replay = *report.replay;
  return fmt::format(
      "<div class=\"tiles\">\n{}{}</div>\n",
      Tile("Time", Counted(report.cycles.value, "cycle"),
           fmt::format("{} ns on {}, with nominal latencies",
                       Grouped(replay.time.value / kPicosecondsPerNanosecond), report.target)),
      Tile("Runs", Grouped(replay.runs), RunsText(report)));
}

std::string Cell(std::string_view text, bool is_bad) {
  return fmt::format("<td{}>{}</td>", is_bad ? " class=\"bad\"" : "", Shortened(text, 200));
}

std::string Rows(const ReplayReport& report) {
  if (report.rows.empty()) return "";
  std::string html =
      "<div class=\"scroll\"><table class=\"replay\">\n<tr><th>finding</th><th>access</th>"
      "<th>other access</th><th>memory</th><th>in the runs</th><th>the checks</th></tr>\n";
  const std::size_t shown = std::min(report.rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const ReplayRow& row = report.rows[i];
    const bool is_note = row.code == "stale-fill";
    html += "<tr>" + Cell((is_note ? "note: " : "") + row.code, false) + Cell(row.access, false) +
            Cell(row.other, false) + Cell(row.place, false) + Cell(row.seen, row.contradicts) +
            Cell(row.checks, row.contradicts) + "</tr>\n";
  }
  html += "</table></div>\n";
  if (shown < report.rows.size()) {
    html += fmt::format("<p class=\"note\">{} of {} rows; the JSON report lists all.</p>\n", shown,
                        Grouped(static_cast<std::int64_t>(report.rows.size())));
  }
  return html;
}

/// A list of `items`; `text_of` gives the text of one, which isn't markup.
template <class Item, class TextOf>
std::string Listed(const std::vector<Item>& items, const TextOf& text_of) {
  if (items.empty()) return "";
  std::string html = "<ul>\n";
  const std::size_t shown = std::min(items.size(), kMostTexts);
  for (std::size_t i = 0; i < shown; ++i)
    html += fmt::format("<li>{}</li>\n", Shortened(text_of(items[i]), kLongestText));
  if (shown < items.size()) {
    html += fmt::format("<li>{} of {}; the JSON report lists all</li>\n", shown,
                        Grouped(static_cast<std::int64_t>(items.size())));
  }
  return html + "</ul>\n";
}

std::string Contradictions(const ReplayReport& report) {
  if (report.contradictions.empty()) return "";
  return Message(
             "error: the static checks and the replay contradict each other, so one of them is "
             "wrong; this is a fault of the tool, not of the file:") +
         Listed(report.contradictions, [](const std::string& text) { return text; });
}

std::string Barriers(const task::BarrierRows& barriers) {
  if (barriers.empty()) return "";
  std::string html =
      "<p>Barriers when nothing could happen any more:</p>\n<div class=\"scroll\"><table "
      "class=\"barriers\">\n<tr>";
  for (const std::string& name : barriers.head) html += fmt::format("<th>{}</th>", Escape(name));
  html += "</tr>\n";
  for (const std::vector<std::string>& row : barriers.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += Cell(cell, false);
    html += "</tr>\n";
  }
  html += "</table></div>\n";
  if (barriers.left_out > 0)
    html += fmt::format("<p class=\"note\">And {} more.</p>\n",
                        Grouped(static_cast<std::int64_t>(barriers.left_out)));
  return html;
}

}  // namespace

std::string ReplaySection(const PipelineReport& report) {
  constexpr std::string_view kAlone = "Verdict and exit status are the checks' alone.";
  if (!report.replay) {
    if (!report.verdict) return "<p>Not played: the checks came to no verdict, see above.</p>\n";
    return fmt::format("<p>Not played: --no-replay was given. {}</p>\n", kAlone);
  }
  const ReplayReport& replay = *report.replay;
  if (replay.skipped) {
    return Message("REPLAY SKIPPED: " + replay.skipped->message) +
           fmt::format("<p>{}</p>\n", kAlone);
  }
  const auto text_of = [](std::string_view before) {
    return [before](const ReplayFinding& one) {
      return fmt::format("{}{}: {}", before, one.code, one.text);
    };
  };
  std::string html = fmt::format("<p>{}</p>\n", Shortened(ReplayLine(replay), kLongestText));
  html += Contradictions(replay) + Tiles(replay);
  if (replay.replay->skipped_runs > 0) {
    html += fmt::format("<p>{} runs with delayed actors were left out: there are too many.</p>\n",
                        Grouped(replay.replay->skipped_runs));
  }
  html += Rows(replay);
  html += Listed(replay.findings, text_of("")) + Listed(replay.notes, text_of("note: "));
  return html + Barriers(replay.barriers);
}

std::string ReplayWord(const PipelineReport& report) {
  if (!report.replay) return "not played";
  if (report.replay->skipped) return "skipped";
  return report.replay->contradictions.empty() ? "agrees"
                                               : "<span class=\"bad\">contradicts</span>";
}

}  // namespace spillway::html
