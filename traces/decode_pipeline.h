// Each part of a pipeline file, from its JSON to the piece of the system that it describes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/alloc/task/codes.h"
#include "model/alloc/task/pipeline_system.h"
#include "traces/decoder.h"

namespace spillway {

/// Names of one kind and what they stand for. For look-up only, so its order never shows.
template <class IdType>
class NameTable {
 public:
  /// Whether the name is new.
  bool Add(std::string_view name, IdType id) { return ids_.emplace(name, id).second; }
  /// Null: no such name.
  const IdType* Find(std::string_view name) const {
    const auto found = ids_.find(std::string(name));
    return found == ids_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::string, IdType> ids_;
};

/// What the parts of a file may refer to.
struct PipelineNames {
  NameTable<task::AllocationId> allocations;
  NameTable<task::PipelineId> pipelines;
  NameTable<task::ResourceId> resources;
  NameTable<task::TaskId> tasks;
};

/// Refuses `node` with a code of pipeline files.
void Refuse(Decoder& decoder, task::Code code, const Node& node, std::string_view expected,
            std::string_view found);

/// A string of the form [A-Za-z_][A-Za-z0-9_]*; else syntax.
std::string_view Identifier(const Node& node, Decoder& decoder);

/// Declares the names of a list's objects in `table`, in order; else syntax or duplicate-name.
template <class IdType>
void DeclareNames(const Node& list, Decoder& decoder, NameTable<IdType>& table) {
  if (!list.present() || !decoder.Is(list, JsonType::kList)) return;
  for (std::size_t i = 0; i < list.size() && decoder.ok(); ++i) {
    const Node item = list.Item(i);
    if (!decoder.Is(item, JsonType::kObject)) return;
    const Node name = item.Member("name");
    const std::string_view text = Identifier(name, decoder);
    if (decoder.ok() && !table.Add(text, IdType(i))) {
      Refuse(decoder, task::Code::kDuplicateName, name, "a name that none before has",
             Decoder::Found(name));
    }
  }
}

/// What a node's string names; else unknown-name.
template <class IdType>
IdType Reference(const Node& node, Decoder& decoder, const NameTable<IdType>& table,
                 std::string_view what) {
  const std::string_view name = Identifier(node, decoder);
  if (!decoder.ok()) return {};
  if (const IdType* const id = table.Find(name)) return *id;
  Refuse(decoder, task::Code::kUnknownName, node, what, Decoder::Found(node));
  return {};
}

/// What the names of a list stand for, in order; else duplicate-name, or as Reference.
template <class IdType>
std::vector<IdType> DistinctReferences(const Node& list, Decoder& decoder,
                                       const NameTable<IdType>& table, std::string_view what) {
  std::vector<IdType> ids;
  if (!decoder.Is(list, JsonType::kList)) return ids;
  std::unordered_set<IdType> seen;
  for (std::size_t i = 0; i < list.size() && decoder.ok(); ++i) {
    const Node item = list.Item(i);
    const IdType id = Reference(item, decoder, table, what);
    if (!decoder.ok()) break;
    if (!seen.insert(id).second)
      Refuse(decoder, task::Code::kDuplicateName, item, "each name once", Decoder::Found(item));
    ids.push_back(id);
  }
  return ids;
}

// What each returns is meaningless once `decoder` holds a fault.
task::PerSpace<task::Units> DecodeCapacity(const Node& node, Decoder& decoder);
task::Allocation DecodeAllocation(const Node& node, Decoder& decoder);
task::AliasGroup DecodeAliasGroup(const Node& node, Decoder& decoder, const PipelineNames& names);
task::Pipeline DecodePipeline(const Node& node, Decoder& decoder, const PipelineNames& names);
/// `system` has its allocations and pipelines. Regions lie inside their allocations.
task::Resource DecodeResource(const Node& node, Decoder& decoder, const PipelineNames& names,
                              const task::PipelineSystem& system);
std::vector<task::Dependency> DecodeGraph(const Node& node, Decoder& decoder,
                                          const PipelineNames& names);
task::Task DecodeTask(const Node& node, Decoder& decoder, const PipelineNames& names);

}  // namespace spillway
