#include "sim/tool/html_pipeline_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "sim/tool/html_chart.h"
#include "sim/tool/html_text.h"

namespace spillway::html {
namespace {

constexpr std::size_t kMostLevels = 8;
constexpr std::size_t kMostInLevel = 24;
constexpr double kBoxHeight = 26;
constexpr double kRowHeight = 42;
constexpr double kMostWidth = 150;   // of a box
constexpr double kMostColumn = 240;  // of a level
constexpr double kTop = 24;          // room for self-edges
constexpr double kLetter = 7;        // width of a letter, at most

struct Edge {
  task::ResourceId up;
  task::ResourceId down;
};

std::vector<Edge> EdgesOf(const task::PipelineSystem& system) {
  std::vector<Edge> edges;
  for (const task::Dependency& dependency : *system.graph) {
    for (const task::ResourceId up : dependency.upstream)
      edges.push_back({up, dependency.downstream});
  }
  return edges;
}

/// How many edges lead to each resource of the graph at most; what stands on a circle comes behind
/// all others.
std::map<task::ResourceId, std::size_t> Levels(const std::vector<Edge>& edges) {
  std::map<task::ResourceId, std::size_t> levels;
  std::map<task::ResourceId, std::size_t> missing;
  for (const Edge& edge : edges) {
    missing[edge.up];
    missing[edge.down] += edge.up == edge.down ? 0 : 1;
  }
  std::vector<task::ResourceId> ready;
  for (const auto& [node, count] : missing) {
    if (count == 0) ready.push_back(node);
  }
  std::size_t next = 0;
  while (!ready.empty()) {
    const task::ResourceId node = ready.back();
    ready.pop_back();
    const std::size_t level = levels[node];
    next = std::max(next, level + 1);
    for (const Edge& edge : edges) {
      if (edge.up != node || edge.down == node) continue;
      std::size_t& behind = levels[edge.down];
      behind = std::max(behind, level + 1);
      if (--missing[edge.down] == 0) ready.push_back(edge.down);
    }
  }
  for (const auto& [node, count] : missing) {
    if (count > 0) levels[node] = next;
  }
  return levels;
}

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double Middle() const { return top + kBoxHeight / 2; }
};

std::string Arrow(double x, double y) {
  return fmt::format("M{} {}L{} {}L{} {}Z", Px(x), Px(y), Px(x - 7), Px(y - 4), Px(x - 7),
                     Px(y + 4));
}

}  // namespace

std::string DependencyGraph(const PipelineReport& report) {
  if (!report.system || !report.system->graph) return "";
  const task::PipelineSystem& system = *report.system;
  const std::vector<Edge> edges = EdgesOf(system);
  // Levels look at all edges for each resource.
  if (edges.empty() || edges.size() > kMostLevels * kMostInLevel) return "";
  const std::map<task::ResourceId, std::size_t> levels = Levels(edges);
  std::vector<std::size_t> used;  // boxes by level
  for (const auto& [node, level] : levels) {
    used.resize(std::max(used.size(), level + 1));
    ++used[level];
  }
  const std::size_t most = *std::max_element(used.begin(), used.end());
  if (used.size() > kMostLevels || most > kMostInLevel) return "";
  const double column =
      std::min(kMostColumn, (kRight - kLeft + kMostWidth / 2) / static_cast<double>(used.size()));
  std::map<task::ResourceId, Box> boxes;
  std::vector<std::size_t> placed(used.size(), 0);
  for (const auto& [node, level] : levels) {
    // Short columns stand in the middle of the tallest.
    const double first = kTop + static_cast<double>(most - used[level]) * kRowHeight / 2;
    boxes[node] = {4 + column * static_cast<double>(level),
                   first + kRowHeight * static_cast<double>(placed[level]++),
                   std::min(kMostWidth, column - 50)};
  }
  Picture picture("Dependency graph: upstream resources to the left");
  for (const Edge& edge : edges) {
    const Box& up = boxes[edge.up];
    const Box& down = boxes[edge.down];
    const double from = up.left + up.width;
    if (edge.up == edge.down) {
      picture.Path("edge", fmt::format("M{} {}C{} {} {} {} {} {}", Px(from - 16), Px(up.top),
                                       Px(from - 16), Px(up.top - 16), Px(up.left + 16),
                                       Px(up.top - 16), Px(up.left + 16), Px(up.top)));
      continue;
    }
    const double bend = std::max(24.0, (down.left - from) / 2);
    picture.Path("edge", fmt::format("M{} {}C{} {} {} {} {} {}", Px(from), Px(up.Middle()),
                                     Px(from + bend), Px(up.Middle()), Px(down.left - bend),
                                     Px(down.Middle()), Px(down.left - 4), Px(down.Middle())));
    picture.Path("arrow", Arrow(down.left, down.Middle()));
  }
  for (const auto& [node, box] : boxes) {
    const task::Resource& resource = system.resources[node];
    picture.Add(fmt::format(
        "<rect class=\"node\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}{}</title>"
        "</rect>\n",
        Px(box.left), Px(box.top), Px(box.width), Px(kBoxHeight), Shortened(resource.name, 120),
        resource.pipeline
            ? "\npipeline " + Shortened(system.pipelines[*resource.pipeline].name, 120)
            : ""));
    picture.Add(
        fmt::format("<text class=\"value\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n",
                    Px(box.left + box.width / 2), Px(box.Middle() + 4),
                    Shortened(resource.name, static_cast<std::size_t>((box.width - 8) / kLetter))));
  }
  return picture.Finish(kTop + static_cast<double>(most) * kRowHeight);
}

}  // namespace spillway::html
