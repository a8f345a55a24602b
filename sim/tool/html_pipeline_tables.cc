#include "sim/tool/html_pipeline_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "model/alloc/task/capacities.h"
#include "sim/tool/html_text.h"
#include "sim/tool/pipeline_boxes.h"
#include "sim/tool/text_report.h"

namespace spillway::html {
namespace {

constexpr std::size_t kColumnsAtATime = 6;
constexpr std::size_t kMostPipelines = 64;
constexpr std::size_t kMostRows = 200;
constexpr std::size_t kMostItems = 12;

/// Who does what how often, loops multiplied out.
struct Counts {
  using Sync = std::tuple<task::PipelineId, task::TaskId, task::OperationKind, task::SideKind>;
  using Access = std::tuple<task::ResourceId, task::Actor, task::AccessKind>;
  std::map<Sync, std::int64_t> syncs;  ///< with the kind that completes it
  std::map<Access, std::int64_t> accesses;
};

void Count(task::TaskId task, const std::vector<task::Operation>& operations, std::int64_t times,
           const task::PipelineSystem& system, Counts& counts) {
  for (const task::Operation& operation : operations) {
    if (operation.kind == task::OperationKind::kLoop) {
      // What holds nothing in the end may have any number of trips, also in a nest.
      std::int64_t all = 0;
      if (__builtin_mul_overflow(times, operation.trips, &all))
        all = std::numeric_limits<std::int64_t>::max();
      if (operation.trips > 0) Count(task, operation.body, all, system, counts);
      continue;
    }
    const auto kind = operation.kind == task::OperationKind::kDma      ? task::SideKind::kDma
                      : operation.kind == task::OperationKind::kMatrix ? task::SideKind::kMatrix
                                                                       : task::SideKind::kThread;
    for (const task::PipelineId id : operation.pipelines) {
      const bool closes = operation.kind == task::OperationKind::kCommit ||
                          operation.kind == task::OperationKind::kRelease;
      const task::SideKinds& kinds = operation.kind == task::OperationKind::kCommit
                                         ? system.pipelines[id].producer
                                         : system.pipelines[id].consumer;
      const auto completes =
          closes ? kinds.Of(task).value_or(task::SideKind::kThread) : task::SideKind::kThread;
      counts.syncs[{id, task, operation.kind, completes}] += times;
    }
    for (const task::PipelineId id : operation.commits)
      counts.syncs[{id, task, task::OperationKind::kCommit, kind}] += times;
    for (const task::PipelineId id : operation.releases)
      counts.syncs[{id, task, task::OperationKind::kRelease, kind}] += times;
    for (const task::Access& access : operation.accesses)
      counts.accesses[{access.resource, {task, kind}, access.kind}] += times;
  }
}

Counts CountsOf(const task::PipelineSystem& system) {
  Counts counts;
  for (std::size_t t = 0; t < system.tasks.size(); ++t)
    Count(task::TaskId(t), system.tasks[task::TaskId(t)].operations, 1, system, counts);
  return counts;
}

std::string KindsText(const task::SideKinds& kinds) {
  return std::string(kinds.by_task.empty() ? task::SideKindName(kinds.kind) : "by task");
}

std::string MatrixCell(const Counts& counts, task::PipelineId pipeline, task::TaskId task) {
  std::string cell;
  for (const auto kind : {task::OperationKind::kAcquire, task::OperationKind::kCommit,
                          task::OperationKind::kWait, task::OperationKind::kRelease}) {
    for (const auto completes :
         {task::SideKind::kThread, task::SideKind::kDma, task::SideKind::kMatrix}) {
      const auto at = counts.syncs.find({pipeline, task, kind, completes});
      if (at == counts.syncs.end()) continue;
      const bool produces =
          kind == task::OperationKind::kAcquire || kind == task::OperationKind::kCommit;
      cell += fmt::format("{}<span class=\"{}\">{} {}{}</span>", cell.empty() ? "" : "<br/>",
                          produces ? "produces" : "consumes", task::OperationKindName(kind),
                          Grouped(at->second),
                          completes == task::SideKind::kThread
                              ? ""
                              : fmt::format(" ({})", task::SideKindName(completes)));
    }
  }
  return cell;
}

std::string More(std::size_t all, std::size_t shown, std::string_view noun) {
  if (all <= shown) return "";
  return fmt::format("<p class=\"note\">{} of {} {}.</p>\n",
                     Grouped(static_cast<std::int64_t>(shown)),
                     Grouped(static_cast<std::int64_t>(all)), noun);
}

/// The first of `items`, with how many there are.
std::string Listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), kMostItems); ++i)
    text += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > kMostItems) text += fmt::format(", … {} in all", items.size());
  return text;
}

std::string UnitText(task::MemorySpace space) { return std::string(task::UnitName(space)); }

bool HasPartitions(const std::vector<MemoryBox>& boxes, task::MemorySpace space) {
  const Interval<Partition> whole{Partition(0), Partition(task::PartitionsOf(space).value)};
  return std::any_of(boxes.begin(), boxes.end(),
                     [&](const MemoryBox& box) { return box.partitions != whole; });
}

std::string WhatText(const MemoryBox& box) {
  switch (box.kind) {
    case MemoryBoxKind::kPlaced: return "placed";
    case MemoryBoxKind::kAliased:
      return fmt::format("alias group {}, phase {}", box.group + 1, box.phase + 1);
    case MemoryBoxKind::kFixed: return "fixed";
    case MemoryBoxKind::kBarriers: return "barriers";
  }
  return "";
}

std::string Totals(const PipelineReport& report, task::MemorySpace space,
                   const std::vector<MemoryBox>& boxes) {
  const std::int64_t total = report.layout->totals[space].value_or(task::Units()).value;
  const std::int64_t capacity = report.system->capacity[space].value;
  std::int64_t barriers = 0;
  for (const MemoryBox& box : boxes)
    barriers += box.kind == MemoryBoxKind::kBarriers ? box.size() : 0;
  std::string text = fmt::format("Total: {} {}", Grouped(total), UnitText(space));
  if (barriers > 0) {
    text += fmt::format(" (data {} {} + barriers {} {})", Grouped(total - barriers),
                        UnitText(space), Grouped(barriers), UnitText(space));
  }
  text += fmt::format(" of {} {} capacity", Grouped(capacity), UnitText(space));
  if (capacity > 0) {
    text +=
        fmt::format(", {}", Percent(static_cast<double>(total) / static_cast<double>(capacity)));
  }
  text += ".";
  if (const std::int64_t saved = SavedUnits(boxes, total); saved > 0)
    text += fmt::format(" Saved by aliasing: {} {}.", Grouped(saved), UnitText(space));
  return fmt::format("<p>{}</p>\n", text);
}

}  // namespace

std::string RoleMatrix(const PipelineReport& report) {
  if (!report.system || report.system->pipelines.empty()) return "";
  const task::PipelineSystem& system = *report.system;
  const Counts counts = CountsOf(system);
  const std::size_t shown = std::min(system.pipelines.size(), kMostPipelines);
  std::string html;
  for (std::size_t first = 0; first < shown; first += kColumnsAtATime) {
    const std::size_t end = std::min(first + kColumnsAtATime, shown);
    html += "<div class=\"wide\"><table class=\"matrix\">\n<tr><th>task</th>";
    for (std::size_t p = first; p < end; ++p) {
      const task::Pipeline& pipeline = system.pipelines[task::PipelineId(p)];
      html += fmt::format("<th>{}<br/><small>{}, {} → {}</small></th>",
                          Shortened(pipeline.name, 40), Counted(pipeline.stages, "stage"),
                          KindsText(pipeline.producer), KindsText(pipeline.consumer));
    }
    html += "</tr>\n";
    for (std::size_t t = 0; t < system.tasks.size(); ++t) {
      html += fmt::format("<tr><th scope=\"row\">{}</th>",
                          Shortened(system.tasks[task::TaskId(t)].name, 60));
      for (std::size_t p = first; p < end; ++p)
        html +=
            fmt::format("<td>{}</td>", MatrixCell(counts, task::PipelineId(p), task::TaskId(t)));
      html += "</tr>\n";
    }
    html += "</table></div>\n";
  }
  return html + More(system.pipelines.size(), shown, "pipelines");
}

std::string ResourceTable(const PipelineReport& report) {
  if (!report.system || report.system->resources.empty()) return "";
  const task::PipelineSystem& system = *report.system;
  const Counts counts = CountsOf(system);
  IdVector<task::ResourceId, std::vector<std::string>> upstream(system.resources.size());
  if (system.graph) {
    for (const task::Dependency& dependency : *system.graph) {
      for (const task::ResourceId up : dependency.upstream)
        upstream[dependency.downstream].push_back(Shortened(system.resources[up].name, 40));
    }
  }
  IdVector<task::ResourceId, std::vector<std::string>> accesses(system.resources.size());
  for (const auto& [access, times] : counts.accesses) {
    const auto& [resource, actor, kind] = access;
    accesses[resource].push_back(fmt::format("{} {} {}",
                                             Shortened(task::ActorName(system, actor), 60),
                                             task::AccessKindName(kind), Grouped(times)));
  }
  const std::size_t shown = std::min(system.resources.size(), kMostRows);
  std::string html = fmt::format(
      "<div class=\"scroll\"><table>\n<tr><th>resource</th><th>memory</th><th>pipeline</th>{}"
      "<th>accesses, how often</th></tr>\n",
      system.graph ? "<th>downstream of</th>" : "");
  for (std::size_t r = 0; r < shown; ++r) {
    const task::Resource& resource = system.resources[task::ResourceId(r)];
    std::vector<std::string> places;
    for (const task::ResourceRegion& region : resource.regions) {
      const task::Allocation& allocation = system.allocations[region.allocation];
      std::string place = Shortened(allocation.name, 40);
      if (report.layout) {
        const std::int64_t begin =
            report.layout->offsets[region.allocation].value + region.offset.value;
        place = fmt::format("{} {}[{}:{})", place, task::MemorySpaceName(allocation.space), begin,
                            begin + region.size.value);
        const auto slots = resource.SlotPipeline();
        if (region.stage_stride.value > 0 && system.pipelines[*slots].stages > 1)
          place += fmt::format(" + {} a stage", region.stage_stride.value);
      }
      places.push_back(std::move(place));
    }
    std::string pipeline;
    if (resource.pipeline) pipeline = Shortened(system.pipelines[*resource.pipeline].name, 40);
    if (resource.slot_of)
      pipeline = "slots of " + Shortened(system.pipelines[*resource.slot_of].name, 40);
    if (resource.initial) places.emplace_back("initial");
    for (const task::ResourceId shared : resource.shares)
      places.push_back("shares " + Shortened(system.resources[shared].name, 40));
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td>", Shortened(resource.name, 60),
                        Listed(places), pipeline);
    if (system.graph) html += fmt::format("<td>{}</td>", Listed(upstream[task::ResourceId(r)]));
    html += fmt::format("<td>{}</td></tr>\n", Listed(accesses[task::ResourceId(r)]));
  }
  return html + "</table></div>\n" + More(system.resources.size(), shown, "resources");
}

std::string UsageTable(const PipelineReport& report, task::MemorySpace space) {
  const std::vector<MemoryBox> boxes = MemoryBoxes(report, space);
  if (boxes.empty()) return "";
  const bool bands = HasPartitions(boxes, space);
  std::string html = Totals(report, space, boxes);
  html += fmt::format(
      "<div class=\"scroll\"><table>\n<tr><th>allocation</th><th></th><th class=\"n\">size</th>"
      "<th class=\"n\">alignment</th><th class=\"n\">offset</th><th class=\"n\">end</th>{}</tr>\n",
      !bands                              ? ""
      : space == task::MemorySpace::kTmem ? "<th class=\"n\">lanes</th>"
                                          : "<th class=\"n\">partitions</th>");
  const std::size_t shown = std::min(boxes.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const MemoryBox& box = boxes[i];
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td>",
        Shortened(box.name, 60), WhatText(box), Grouped(box.size()),
        box.alignment ? Grouped(*box.alignment) : "", Grouped(box.begin), Grouped(box.end));
    if (bands) {
      html += fmt::format("<td class=\"n\">[{}, {})</td>", box.partitions.begin.value,
                          box.partitions.end.value);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n" + More(boxes.size(), shown, "allocations, by offset");
}

std::string BarrierTable(const PipelineReport& report) {
  if (!report.layout || !report.layout->arena) return "";
  const task::BarrierLayout& arena = *report.layout->arena;
  std::string runs;
  constexpr std::size_t kMostRuns = 20;
  for (std::size_t i = 0; i < std::min(arena.runs.size(), kMostRuns); ++i) {
    const task::BarrierRun& run = arena.runs[i];
    runs += fmt::format("{}[{}, {}) of {}", i == 0 ? "" : ", ", run.begin.value, run.end.value,
                        Counted(run.arrivals, "arrival"));
  }
  if (arena.runs.size() > kMostRuns) runs += fmt::format(", … {} in all", arena.runs.size());
  std::string html = fmt::format(
      "<p>{} used of {} in whole chunks; entries of equal arrivals: {}.</p>\n<div "
      "class=\"scroll\"><table>\n<tr><th>barriers</th><th class=\"n\">first entry</th><th "
      "class=\"n\">count</th><th class=\"n\">arrivals</th></tr>\n",
      Grouped(arena.used.value), Grouped(arena.padded.value), runs);
  const std::size_t shown = std::min(arena.entries.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const task::BarrierEntry& entry = arena.entries[i];
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td></tr>\n",
        Shortened(entry.name, 60), Grouped(entry.offset.value), Grouped(entry.count.value),
        Grouped(entry.arrivals));
  }
  return html + "</table></div>\n" + More(arena.entries.size(), shown, "entries");
}

}  // namespace spillway::html
