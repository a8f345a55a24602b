#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "model/alloc/task/capacities.h"
#include "model/alloc/task/layout.h"

namespace spillway::task {
namespace {

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

/// "name (64 B), …" of the leaves below a node, in order.
void AppendMembers(const Layout& layout, const AliasTree<std::size_t>& tree, std::string& text) {
  for (const std::size_t leaf : tree.leaf) {
    const LayoutEntry& entry = layout.entries[leaf];
    text += fmt::format("{}{} ({} {})", text.empty() ? "" : ", ", entry.name, entry.size.value,
                        UnitName(layout.space));
  }
  for (const AliasTree<std::size_t>& child : tree.children) AppendMembers(layout, child, text);
}

std::string Table(const Layout& layout) {
  std::vector<const LayoutEntry*> rows;
  bool aligned = false;
  std::size_t width = std::string_view("Name").size();
  for (const LayoutEntry& entry : layout.entries) {
    if (entry.purpose == EntryPurpose::kBarriers) continue;
    rows.push_back(&entry);
    aligned = aligned || entry.alignment != 1;
    width = std::max(width, entry.name.size() + 2);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const LayoutEntry* a, const LayoutEntry* b) {
    return a->offset < b->offset;
  });
  const auto row = [&](std::string_view name, const auto& size, const auto& alignment,
                       const auto& offset, const auto& end) {
    std::string text = fmt::format("  {:<{}}  {:>8}", name, width, size);
    if (aligned) text += fmt::format("  {:>9}", alignment);
    return text + fmt::format("  {:>8}  {:>8}\n", offset, end);
  };
  std::string text = row("Name", "Size", "Alignment", "Offset", "End");
  for (const LayoutEntry* entry : rows) {
    text += row(entry->name + (entry->aliased ? " *" : ""), entry->size.value, entry->alignment,
                entry->offset.value, (entry->offset + entry->size).value);
  }
  return text;
}

}  // namespace

std::int64_t BlockAlignment(const Layout& layout) {
  if (layout.entries.empty()) return DefaultAlignment(layout.space);
  std::int64_t alignment = 1;
  for (const LayoutEntry& entry : layout.entries) alignment = std::max(alignment, entry.alignment);
  return alignment;
}

Units BarrierUnits(const Layout& layout) {
  Units units;
  for (const LayoutEntry& entry : layout.entries) {
    if (entry.purpose == EntryPurpose::kBarriers) units += entry.size;
  }
  return units;
}

Units SavedByAliasing(const Layout& layout) {
  Units sum;
  for (const LayoutEntry& entry : layout.entries) sum += entry.size;
  return sum - layout.total;
}

std::string UsageReport(const Layout& layout) {
  const std::string_view unit = UnitName(layout.space);
  std::string text =
      fmt::format("[{}-layout] Memory Usage Report\n", MemorySpaceName(layout.space));
  text += Table(layout);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    text += fmt::format("Alias group {}:\n", g + 1);
    const std::vector<AliasTree<std::size_t>>& phases = layout.groups[g].children;
    for (std::size_t p = 0; p < phases.size(); ++p) {
      std::string members;
      AppendMembers(layout, phases[p], members);
      text += fmt::format("  Phase {}: {}\n", p + 1, members);
    }
  }
  if (const Units barriers = BarrierUnits(layout); barriers > Units(0)) {
    text += fmt::format("Data: {} {}\nBarriers: {} {}\n", (layout.total - barriers).value, unit,
                        barriers.value, unit);
  }
  text += fmt::format("Total: {} {}\n", layout.total.value, unit);
  if (const Units saved = SavedByAliasing(layout); saved > Units(0))
    text += fmt::format("Saved (aliasing): {} {}\n", saved.value, unit);
  return text;
}

std::string UsageSummary(const Layout& layout) {
  const std::string_view unit = UnitName(layout.space);
  std::string text = fmt::format("{} usage: {} {}", Upper(MemorySpaceName(layout.space)),
                                 layout.total.value, unit);
  if (const Units barriers = BarrierUnits(layout); barriers > Units(0)) {
    text += fmt::format(" (data {} {} + barriers {} {})", (layout.total - barriers).value, unit,
                        barriers.value, unit);
  }
  if (layout.capacity) text += fmt::format(" / {} {} capacity", layout.capacity->value, unit);
  return text;
}

}  // namespace spillway::task
