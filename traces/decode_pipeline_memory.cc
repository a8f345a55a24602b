// Capacities, allocations and alias groups of pipeline files.
#include <fmt/format.h>

#include "model/alloc/task/capacities.h"
#include "traces/decode_pipeline.h"

namespace spillway {

using task::AllocationId;
using task::Code;
using task::MemorySpace;
using task::UnitOffset;
using task::Units;

namespace {

constexpr std::string_view kSpaceWords = "smem, tmem, sbuf or psum";

Interval<Partition> DecodePartitions(const Node& node, Decoder& decoder, MemorySpace space) {
  const std::int64_t all = task::PartitionsOf(space).value;
  if (!node.present()) return {Partition(0), Partition(all)};
  if (space == MemorySpace::kSmem) {
    Refuse(decoder, Code::kSyntax, node, "no partitions in smem", Decoder::Found(node));
  }
  if (!decoder.IsListOf(node, 2)) return {};
  const std::int64_t start = decoder.Integer(node.Item(0), 0, all - 1);
  const std::int64_t count = decoder.Integer(node.Item(1), 1, all - start);
  return {Partition(start), Partition(start + count)};
}

}  // namespace

void Refuse(Decoder& decoder, Code code, const Node& node, std::string_view expected,
            std::string_view found) {
  const task::CodeRow& row = task::RowOf(code);
  decoder.Refuse(row.kind, row.name, node, expected, found);
}

std::string_view Identifier(const Node& node, Decoder& decoder) {
  const std::string_view name = decoder.String(node);
  if (!decoder.ok()) return {};
  const bool starts = !name.empty() && (name.front() < '0' || name.front() > '9');
  const bool well_formed = starts && name.find_first_not_of(
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
                                         "0123456789") == std::string_view::npos;
  if (!well_formed) {
    Refuse(decoder, Code::kSyntax, node,
           "a name of letters, digits and _, not starting with a digit", Decoder::Found(node));
  }
  return name;
}

task::PerSpace<Units> DecodeCapacity(const Node& node, Decoder& decoder) {
  task::PerSpace<Units> capacity = task::DefaultCapacity();
  if (!node.present() || !decoder.Fields(node, {}, {"smem", "tmem", "sbuf", "psum"}))
    return capacity;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node item = node.Item(i);
    capacity[*task::ParseMemorySpace(item.key)] = Units(decoder.Integer(item, 0, kMaxBytes));
  }
  return capacity;
}

task::Allocation DecodeAllocation(const Node& node, Decoder& decoder) {
  if (!decoder.Fields(node, {"name", "space", "size"}, {"align", "partitions", "at"})) return {};
  task::Allocation allocation;
  allocation.name = decoder.String(node.Member("name"));
  allocation.space =
      decoder.Word(node.Member("space"), task::ParseMemorySpace, Fault::kUnknownSpace, kSpaceWords);
  if (!decoder.ok()) return {};
  allocation.size = Units(decoder.Integer(node.Member("size"), 1, kMaxBytes));
  allocation.alignment = task::DefaultAlignment(allocation.space);
  if (const Node align = node.Member("align"); align.present()) {
    const std::int64_t alignment = decoder.Integer(align, -kMaxBytes, kMaxBytes);
    if (alignment < 1 || (alignment & (alignment - 1)) != 0) {
      Refuse(decoder, Code::kLayoutAlignment, align, "a power of two", Decoder::Found(align));
    }
    allocation.alignment = alignment;
  }
  allocation.partitions = DecodePartitions(node.Member("partitions"), decoder, allocation.space);
  if (const Node at = node.Member("at"); at.present())
    allocation.at = UnitOffset(decoder.Integer(at, 0, kMaxBytes));
  return allocation;
}

task::AliasGroup DecodeAliasGroup(const Node& node, Decoder& decoder, const PipelineNames& names) {
  if (!decoder.Fields(node, {"phases"}, {})) return {};
  const Node phases = node.Member("phases");
  if (!decoder.Is(phases, JsonType::kList)) return {};
  task::AliasGroup group;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const Node phase = phases.Item(p);
    if (!decoder.Is(phase, JsonType::kList)) return {};
    std::vector<AllocationId>& members = group.phases.emplace_back();
    for (std::size_t i = 0; i < phase.size() && decoder.ok(); ++i) {
      members.push_back(
          Reference(phase.Item(i), decoder, names.allocations, "the name of an allocation"));
    }
  }
  return group;
}

}  // namespace spillway
