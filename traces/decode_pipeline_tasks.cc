// Tasks of pipeline files: trees of operations.
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "traces/decode_pipeline.h"

namespace spillway {

using task::Access;
using task::AccessKind;
using task::Code;
using task::Operation;
using task::OperationKind;
using task::PipelineId;

namespace {

constexpr int kMaxLoopDepth = 8;  // of the format: ts_pipelines.md §15
constexpr std::string_view kOperations =
    "acquire, commit, wait, release, read, write, use, dma, matrix or loop";

struct SyncWord {
  std::string_view key;
  OperationKind kind;
};
constexpr SyncWord kSyncWords[] = {{"acquire", OperationKind::kAcquire},
                                   {"commit", OperationKind::kCommit},
                                   {"wait", OperationKind::kWait},
                                   {"release", OperationKind::kRelease}};
struct AccessWord {
  std::string_view key;
  AccessKind kind;
};
constexpr AccessWord kAccessWords[] = {
    {"read", AccessKind::kRead}, {"write", AccessKind::kWrite}, {"use", AccessKind::kUse}};

class TaskDecoder {
 public:
  TaskDecoder(Decoder& decoder, const PipelineNames& names) : decoder_(decoder), names_(names) {}

  std::vector<Operation> Operations(const Node& node, int depth) {
    std::vector<Operation> operations;
    if (!decoder_.Is(node, JsonType::kList)) return operations;
    for (std::size_t i = 0; i < node.size() && decoder_.ok(); ++i)
      operations.push_back(DecodeOperation(node.Item(i), depth));
    return operations;
  }

 private:
  Operation DecodeOperation(const Node& node, int depth) {
    if (!decoder_.Is(node, JsonType::kObject)) return {};
    if (node.Member("loop").present()) return DecodeLoop(node, depth);
    if (node.Member("dma").present()) return DecodeTransfer(node);
    if (node.Member("matrix").present()) return DecodeMatrix(node);
    Operation operation;
    for (const SyncWord& word : kSyncWords) {
      if (!node.Member(word.key).present()) continue;
      operation.kind = word.kind;
      if (decoder_.Fields(node, {word.key}, {}))
        operation.pipelines = Pipelines(node.Member(word.key));
      return operation;
    }
    for (const AccessWord& word : kAccessWords) {
      const Node resource = node.Member(word.key);
      if (!resource.present()) continue;
      operation.kind = OperationKind::kAccess;
      if (decoder_.Fields(node, {word.key}, {"side"}))
        operation.accesses.push_back(OneAccess(word.kind, resource, node.Member("side")));
      return operation;
    }
    Refuse(decoder_, Code::kSyntax, node, fmt::format("one of the keys {}", kOperations),
           node.size() == 0 ? "an empty object" : Decoder::Quoted(node.Item(0).key));
    return operation;
  }

  Operation DecodeLoop(const Node& node, int depth) {
    if (!decoder_.Fields(node, {"loop", "ops"}, {})) return {};
    Operation operation;
    operation.kind = OperationKind::kLoop;
    const Node trips = node.Member("loop");
    if (depth >= kMaxLoopDepth) {
      Refuse(decoder_, Code::kLimit, trips, fmt::format("loops nested {} deep", kMaxLoopDepth),
             "more");
    }
    operation.trips = decoder_.Integer(trips, 0, kMaxIndex);
    operation.body = Operations(node.Member("ops"), depth + 1);
    return operation;
  }

  Operation DecodeTransfer(const Node& node) {
    if (!decoder_.Fields(node, {"dma"}, {})) return {};
    const Node body = node.Member("dma");
    if (!decoder_.Fields(body, {}, {"read", "write", "commit", "release"})) return {};
    Operation operation;
    operation.kind = OperationKind::kDma;
    operation.accesses = Accesses(body);
    if (const Node commit = body.Member("commit"); commit.present())
      operation.commits = PipelineList(commit);
    if (const Node release = body.Member("release"); release.present())
      operation.releases = PipelineList(release);
    if (decoder_.ok() && operation.accesses.empty())
      Refuse(decoder_, Code::kSyntax, body, "at least one access", "none");
    return operation;
  }

  Operation DecodeMatrix(const Node& node) {
    if (!decoder_.Fields(node, {"matrix"}, {})) return {};
    const Node body = node.Member("matrix");
    if (!decoder_.Fields(body, {}, {"read", "write"})) return {};
    Operation operation;
    operation.kind = OperationKind::kMatrix;
    operation.accesses = Accesses(body);
    return operation;
  }

  /// One name, or a list of them.
  std::vector<PipelineId> Pipelines(const Node& node) {
    if (node.value->type == JsonType::kList) return PipelineList(node);
    return {Reference(node, decoder_, names_.pipelines, "the name of a pipeline")};
  }

  std::vector<PipelineId> PipelineList(const Node& node) {
    if (!decoder_.Is(node, JsonType::kList)) return {};
    if (node.size() == 0)
      Refuse(decoder_, Code::kSyntax, node, "at least one pipeline", "an empty list");
    return DistinctReferences(node, decoder_, names_.pipelines, "the name of a pipeline");
  }

  std::vector<Access> Accesses(const Node& body) {
    std::vector<Access> accesses;
    std::set<std::tuple<AccessKind, task::ResourceId, task::Side>> seen;
    for (const AccessWord& word : kAccessWords) {
      const Node list = body.Member(word.key);
      if (!list.present() || !decoder_.Is(list, JsonType::kList)) continue;
      for (std::size_t i = 0; i < list.size() && decoder_.ok(); ++i) {
        const Node item = list.Item(i);
        const Access access = ListedAccess(word.kind, item);
        if (decoder_.ok() && !seen.emplace(access.kind, access.resource, access.side).second)
          Refuse(decoder_, Code::kDuplicateName, item, "each resource once", Decoder::Found(item));
        accesses.push_back(access);
      }
    }
    return accesses;
  }

  /// A resource's name, or {"resource": R, "side": …}.
  Access ListedAccess(AccessKind kind, const Node& item) {
    if (item.value->type != JsonType::kObject) return OneAccess(kind, item, {});
    if (!decoder_.Fields(item, {"resource"}, {"side"})) return {};
    return OneAccess(kind, item.Member("resource"), item.Member("side"));
  }

  Access OneAccess(AccessKind kind, const Node& resource, const Node& side) {
    Access access{kind, Reference(resource, decoder_, names_.resources, "the name of a resource"),
                  task::DefaultSide(kind)};
    if (!side.present()) return access;
    const std::string_view text = decoder_.String(side);
    if (!decoder_.ok()) return access;
    if (const std::optional<task::Side> parsed = task::ParseSide(text)) {
      access.side = *parsed;
    } else {
      Refuse(decoder_, Code::kUnknownName, side, "producer or consumer", Decoder::Quoted(text));
    }
    return access;
  }

  Decoder& decoder_;
  const PipelineNames& names_;
};

}  // namespace

task::Task DecodeTask(const Node& node, Decoder& decoder, const PipelineNames& names) {
  if (!decoder.Fields(node, {"name", "ops"}, {})) return {};
  task::Task task;
  task.name = decoder.String(node.Member("name"));
  task.operations = TaskDecoder(decoder, names).Operations(node.Member("ops"), 0);
  return task;
}

}  // namespace spillway
