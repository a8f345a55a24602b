#include "traces/pipeline_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "model/alloc/task/lay_out_system.h"
#include "model/alloc/task/unroll.h"
#include "traces/decode_pipeline.h"
#include "traces/line_reader.h"

namespace spillway {
namespace {

using task::Code;

constexpr std::string_view kEnding = ".pipeline.json";
// Of the format: ts_pipelines.md §15.
constexpr std::size_t kMaxTasks = 64;
constexpr std::size_t kMaxPipelines = 1024;
/// An object for the file, four levels to a task's operation, two a loop, three inside a transfer.
constexpr int kMaxDepth = 32;
/// Nothing in the format takes less than four bytes, but for integers, which stand in pairs.
constexpr std::int64_t kMaxValues = static_cast<std::int64_t>(kMaxPipelineFileBytes / 4);

/// Where the lines of a text begin.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text) {
    for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
      newlines_.push_back(i);
  }
  /// 1-based.
  std::int64_t LineOf(std::size_t offset) const {
    return std::lower_bound(newlines_.begin(), newlines_.end(), offset) - newlines_.begin() + 1;
  }

 private:
  std::vector<std::size_t> newlines_;
};

/// What the decoder shares with kernel files has the codes of that format.
Error InThisFormat(Error error) {
  if (task::FindCode(error.code) != nullptr) return error;
  const Code code = error.code == RowOf(Fault::kNestedTooDeep).code ||
                            error.code == RowOf(Fault::kFileTooLong).code
                        ? Code::kLimit
                    : error.kind == Kind::kUnknownName ? Code::kUnknownName
                                                       : Code::kSyntax;
  Error own = task::MakeError(code, std::move(error.message));
  own.line = error.line;
  return own;
}

void DecodeVersion(const Node& root, Decoder& decoder) {
  const Node version = root.Member("version");
  if (!version.present()) return;
  const std::int64_t number = decoder.Integer(version, INT64_MIN, INT64_MAX);
  if (decoder.ok() && number != 1)
    Refuse(decoder, Code::kVersion, version, "1", Decoder::Found(version));
}

void CheckLength(const Node& list, Decoder& decoder, std::size_t limit, std::string_view what) {
  if (!decoder.ok() || !list.present() || list.size() <= limit) return;
  Refuse(decoder, Code::kLimit, list, fmt::format("at most {} {}", limit, what),
         fmt::to_string(list.size()));
}

template <class Add>
void ForEach(const Node& list, Decoder& decoder, const Add& add) {
  if (!list.present()) return;
  for (std::size_t i = 0; i < list.size() && decoder.ok(); ++i) add(list.Item(i));
}

task::PipelineSystem DecodeSystem(const Node& root, Decoder& decoder) {
  task::PipelineSystem system;
  // The version first: a later one may have keys that this one doesn't know.
  if (!decoder.Is(root, JsonType::kObject)) return system;
  DecodeVersion(root, decoder);
  if (!decoder.Fields(root, {"system", "version", "tasks"},
                      {"note", "capacity", "barriers", "allocations", "alias_groups", "pipelines",
                       "resources", "graph"}))
    return system;
  system.name = Identifier(root.Member("system"), decoder);
  if (const Node note = root.Member("note"); note.present())
    system.note = std::string(decoder.String(note));
  system.capacity = DecodeCapacity(root.Member("capacity"), decoder);
  if (const Node barriers = root.Member("barriers"); barriers.present()) {
    const std::optional<task::BarrierStorage> storage =
        task::ParseBarrierStorage(decoder.String(barriers));
    if (!storage)
      Refuse(decoder, Code::kUnknownName, barriers, "own, coalesced or none",
             Decoder::Found(barriers));
    system.barriers = storage.value_or(task::BarrierStorage::kOwn);
  }
  const Node allocations = root.Member("allocations");
  const Node pipelines = root.Member("pipelines");
  const Node resources = root.Member("resources");
  const Node tasks = root.Member("tasks");
  PipelineNames names;
  DeclareNames(allocations, decoder, names.allocations);
  DeclareNames(pipelines, decoder, names.pipelines);
  DeclareNames(resources, decoder, names.resources);
  if (decoder.Is(tasks, JsonType::kList)) DeclareNames(tasks, decoder, names.tasks);
  CheckLength(pipelines, decoder, kMaxPipelines, "pipelines");
  CheckLength(tasks, decoder, kMaxTasks, "tasks");
  ForEach(allocations, decoder,
          [&](const Node& node) { system.allocations.push_back(DecodeAllocation(node, decoder)); });
  const Node groups = root.Member("alias_groups");
  if (groups.present() && decoder.Is(groups, JsonType::kList)) {
    ForEach(groups, decoder, [&](const Node& node) {
      system.alias_groups.push_back(DecodeAliasGroup(node, decoder, names));
    });
  }
  ForEach(pipelines, decoder, [&](const Node& node) {
    system.pipelines.push_back(DecodePipeline(node, decoder, names));
  });
  ForEach(resources, decoder, [&](const Node& node) {
    system.resources.push_back(DecodeResource(node, decoder, names, system));
  });
  if (const Node graph = root.Member("graph"); graph.present())
    system.graph = DecodeGraph(graph, decoder, names);
  ForEach(tasks, decoder,
          [&](const Node& node) { system.tasks.push_back(DecodeTask(node, decoder, names)); });
  return system;
}

/// Nothing, or why the memory has no layout or the tasks don't run.
std::optional<Error> CheckWhole(const task::PipelineSystem& system) {
  const Result<task::SystemLayout> layout = task::LayOutSystem(system);
  if (!layout) return layout.error();
  const Result<task::Program> program = task::Unroll(system, *layout);
  if (!program) return program.error();
  return std::nullopt;
}

Result<task::PipelineSystem> Parse(std::string_view given,
                                   std::optional<std::string_view> expected_name) {
  if (given.size() > kMaxPipelineFileBytes) {
    return Fail(task::MakeError(
        Code::kLimit, fmt::format("expected at most {} bytes, found more", kMaxPipelineFileBytes)));
  }
  const LineIndex lines(given);
  if (!IsUtf8(given))
    return Fail(task::MakeError(Code::kSyntax, "expected UTF-8, found other bytes"));
  std::string text(given);
  const Result<JsonValue> value = ParseJsonLine(text, {kMaxDepth, kMaxValues, given});
  if (!value) return Fail(InThisFormat(value.error()));
  const Node root{&*value, nullptr, {}, -1};
  Decoder decoder;
  task::PipelineSystem system = DecodeSystem(root, decoder);
  if (decoder.ok() && expected_name && system.name != *expected_name) {
    const Node name = root.Member("system");
    Refuse(decoder, Code::kSyntax, name,
           fmt::format("the file's name without its ending, {}", Decoder::Quoted(*expected_name)),
           Decoder::Found(name));
  }
  if (!decoder.ok()) {
    const char* const place = decoder.place();
    Error error = InThisFormat(decoder.TakeError());
    // In-place parsing keeps every key and scalar where it began.
    error.line = place == nullptr ? 1 : lines.LineOf(static_cast<std::size_t>(place - text.data()));
    return Fail(std::move(error));
  }
  if (std::optional<Error> error = CheckWhole(system)) return Fail(std::move(*error));
  return system;
}

Error In(const std::string& file, Error error) {
  error.file = file;
  return error;
}

}  // namespace

Result<task::PipelineSystem> ReadPipelineFile(const std::string& path) {
  const auto cannot = [&](Fault fault, const char* what) {
    return Fail(In(path, MakeError(fault, fmt::format("{}: {}", path, what))));
  };
  std::ifstream in(path, std::ios::binary);
  if (!in) return cannot(Fault::kFileNotOpened, "can't be opened");
  std::string text;
  // A piece more than a file may have tells one that is too long.
  for (std::string piece(std::size_t{1} << 16, '\0'); in && text.size() <= kMaxPipelineFileBytes;) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return cannot(Fault::kFileUnreadable, "reading fails");
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  if (!name.ends_with(kEnding)) {
    return Fail(In(path, task::MakeError(Code::kSyntax,
                                         fmt::format("expected a file name <system>{}, found {}",
                                                     kEnding, Decoder::Quoted(name)))));
  }
  Result<task::PipelineSystem> system = Parse(text, name.substr(0, name.size() - kEnding.size()));
  if (!system) return Fail(In(path, std::move(system.error())));
  return system;
}

Result<task::PipelineSystem> ParsePipeline(std::string_view text, const std::string& file_name) {
  Result<task::PipelineSystem> system = Parse(text, std::nullopt);
  if (!system) return Fail(In(file_name, std::move(system.error())));
  return system;
}

}  // namespace spillway
