#include "traces/kernel_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <streambuf>
#include <utility>
#include <vector>

#include "traces/check_instruction.h"
#include "traces/decode_lines.h"
#include "traces/faults.h"
#include "traces/guarded_range.h"
#include "traces/json_value.h"
#include "traces/line_reader.h"

namespace spillway {
namespace {

/// Puts the lines of one file together. The first refusal ends it.
class KernelAssembly {
 public:
  explicit KernelAssembly(const ReadLimits& limits)
      : ranges_(limits.max_iterations_per_index, limits.max_iterations_per_file) {}

  /// Nothing, or why the line is refused (without file).
  std::optional<Error> AddLine(std::string& text, std::int64_t line) {
    const auto at = [&](Error error) {
      error.line = line;
      return error;
    };
    if (!IsUtf8(text)) return at(MakeError(Fault::kNotUtf8, "expected UTF-8, found other bytes"));
    if (text.find_first_not_of(" \t\r") == std::string::npos) {
      return at(MakeError(Fault::kEmptyLine, "expected an object, found an empty line"));
    }
    const Result<JsonValue> value = ParseJsonLine(text);
    if (!value) return at(value.error());
    const Node node{&*value, nullptr, {}, -1};
    Decoder decoder;
    if (value->type != JsonType::kObject) {
      decoder.Refuse(Fault::kLineNotAnObject, node, "an object", Decoder::Found(node));
    } else {
      AddObject(node, line, decoder);
    }
    if (decoder.ok()) return std::nullopt;
    return at(decoder.TakeError());
  }

  /// Nothing, or what the end of the file leaves open. `lines`: how many the file had.
  std::optional<Error> Finish(std::int64_t lines) const {
    const auto at = [](Fault fault, std::int64_t line, std::string message) {
      Error error = MakeError(fault, std::move(message));
      error.line = line;
      return error;
    };
    if (lines == 0) return at(Fault::kEmptyFile, 0, "expected a header, found an empty file");
    if (!names_.open_loops.empty()) {
      return at(Fault::kLoopNotClosed, open_loop_lines_.back(),
                fmt::format("key loop: expected an end of loop \"{}\", found the end of the file",
                            kernel_.loops[names_.open_loops.back()].name));
    }
    for (std::size_t i = 0; i < kernel_.tensors.size(); ++i) {
      const Tensor& tensor = kernel_.tensors[TensorId(i)];
      if (tensor.role != Role::kOutput || tensor_written_[i]) continue;
      return at(
          Fault::kOutputNeverWritten, tensor_lines_[i],
          fmt::format("key tensor: expected an instruction that writes output \"{}\", found none",
                      tensor.name));
    }
    return std::nullopt;
  }

  Kernel TakeKernel() { return std::move(kernel_); }

 private:
  void AddObject(const Node& node, std::int64_t line, Decoder& decoder) {
    const auto has = [&](std::string_view key) { return node.Member(key).present(); };
    if (line == 1 && !has("kernel")) {
      decoder.Refuse(Fault::kMissingHeader, node, "the header, an object with the key kernel",
                     "another line");
    } else if (has("kernel")) {
      AddHeader(node, line, decoder);
    } else if (has("tensor")) {
      AddTensor(node, line, decoder);
    } else if (has("loop")) {
      AddLoop(node, line, decoder);
    } else if (has("op")) {
      AddInstruction(node, decoder);
    } else if (has("end")) {
      AddEnd(node, decoder);
    } else {
      decoder.Refuse(Fault::kUnknownLine, node, "an object with the key tensor, loop, end or op",
                     node.size() == 0 ? "an empty object" : Decoder::Quoted(node.Item(0).key));
    }
  }

  void AddHeader(const Node& node, std::int64_t line, Decoder& decoder) {
    if (line != 1) {
      decoder.Refuse(Fault::kHeaderNotFirst, node.Member("kernel"),
                     "the header on the first line alone", "another header");
      return;
    }
    Header header = DecodeHeader(node, decoder);
    kernel_.name = std::move(header.name);
    kernel_.version = header.version;
    kernel_.target = std::move(header.target);
    kernel_.origin = std::move(header.origin);
    kernel_.opts = std::move(header.opts);
  }

  void AddTensor(const Node& node, std::int64_t line, Decoder& decoder) {
    Tensor tensor = DecodeTensor(node, decoder, kernel_.version);
    if (!decoder.ok()) return;
    if (!names_.tensors.emplace(tensor.name, TensorId(kernel_.tensors.size())).second) {
      const Node name = node.Member("tensor");
      decoder.Refuse(Fault::kDuplicateTensor, name, "a name that no tensor has",
                     Decoder::Found(name));
      return;
    }
    kernel_.tensors.push_back(std::move(tensor));
    tensor_lines_.push_back(line);
    tensor_written_.push_back(0);
  }

  void AddLoop(const Node& node, std::int64_t line, Decoder& decoder) {
    Loop loop = DecodeLoop(node, decoder, kernel_, names_);
    if (!decoder.ok()) return;
    ranges_.Open(loop);
    if (TripCount(loop) == 0) ++open_loops_without_trips_;
    const LoopId id = kernel_.loops.push_back(std::move(loop));
    names_.open_loops.push_back(id);
    open_loop_lines_.push_back(line);
    kernel_.body.push_back({BodyKind::kLoopBegin, id.value});
  }

  void AddEnd(const Node& node, Decoder& decoder) {
    const std::string_view name = DecodeEnd(node, decoder);
    if (!decoder.ok()) return;
    const Node end = node.Member("end");
    if (names_.open_loops.empty()) {
      decoder.Refuse(Fault::kEndWithoutLoop, end, "an open loop to end", Decoder::Found(end));
      return;
    }
    const LoopId id = names_.open_loops.back();
    if (kernel_.loops[id].name != name) {
      decoder.Refuse(Fault::kEndOfWrongLoop, end,
                     fmt::format("{}, opened on line {}", Decoder::Quoted(kernel_.loops[id].name),
                                 open_loop_lines_.back()),
                     Decoder::Found(end));
      return;
    }
    if (TripCount(kernel_.loops[id]) == 0) --open_loops_without_trips_;
    names_.open_loops.pop_back();
    open_loop_lines_.pop_back();
    kernel_.body.push_back({BodyKind::kLoopEnd, id.value});
  }

  void AddInstruction(const Node& node, Decoder& decoder) {
    Instruction instruction = DecodeInstruction(node, decoder, kernel_, names_);
    if (!decoder.ok()) return;
    CheckInstruction(instruction, node, kernel_, open_loops_without_trips_ == 0, ranges_, decoder);
    if (!decoder.ok()) return;
    for (const OperandGroup& group : instruction.outputs) {
      for (const Operand& operand : group.operands) tensor_written_[operand.tensor.value] = 1;
    }
    const InstructionId id = kernel_.instructions.push_back(std::move(instruction));
    kernel_.body.push_back({BodyKind::kInstruction, id.value});
  }

  Kernel kernel_;
  KnownNames names_;
  GuardedRanges ranges_;
  std::vector<std::int64_t> tensor_lines_;
  std::vector<char> tensor_written_;
  std::vector<std::int64_t> open_loop_lines_;
  int open_loops_without_trips_ = 0;
};

/// A stream over bytes in memory, without a copy.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin =
        const_cast<char*>(text.data());  // streambuf asks for it; reading never writes
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

Result<Kernel> ParseKernel(std::istream& in, const std::string& file_name,
                           const ReadLimits& limits) {
  const auto fail = [&](Error error) {
    error.file = file_name;
    return Fail(std::move(error));
  };
  LineReader lines(in, limits.max_lines, limits.max_line_bytes, limits.max_file_bytes);
  KernelAssembly assembly(limits);
  for (;;) {
    const Result<bool> more = lines.Next();
    if (!more) return fail(more.error());
    if (!*more) break;
    if (auto error = assembly.AddLine(lines.line(), lines.number())) return fail(std::move(*error));
  }
  if (auto error = assembly.Finish(lines.number())) return fail(std::move(*error));
  return assembly.TakeKernel();
}

Result<Kernel> ParseKernel(std::string_view text, const std::string& file_name,
                           const ReadLimits& limits) {
  ViewBuffer buffer(text);
  std::istream in(&buffer);
  return ParseKernel(in, file_name, limits);
}

Result<Kernel> ReadKernelFile(const std::string& path, const ReadLimits& limits) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    Error error =
        MakeError(Fault::kFileNotOpened, "expected a readable file, found that it can't be opened");
    error.file = path;
    return Fail(std::move(error));
  }
  return ParseKernel(in, path, limits);
}

}  // namespace spillway
