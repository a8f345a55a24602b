#include "traces/kernel_writer.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "model/alloc/ir/evaluate_modulo_law.h"
#include "traces/json_print.h"
#include "traces/names.h"
#include "traces/zstd_buffer.h"

namespace spillway {
namespace {

/// "[a,b,c]" of what `print` makes of each item.
template <class List, class Print>
std::string JsonList(const List& list, Print print) {
  std::string text = "[";
  for (const auto& item : list) {
    if (text.size() > 1) text += ',';
    text += print(item);
  }
  return text + "]";
}

std::string Integers(const std::vector<std::int64_t>& list) {
  return JsonList(list, [](std::int64_t i) { return fmt::to_string(i); });
}

std::string AddressText(const Address& address) {
  return fmt::format("[{},{}]", address.partition.value, address.byte.value);
}

std::string Attributes(const std::vector<Attr>& attrs, SpillRole spill = SpillRole::kNone) {
  std::string text = "{";
  for (const Attr& attr : attrs) {
    text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", JsonString(attr.name),
                        JsonAttribute(attr.value));
  }
  if (spill != SpillRole::kNone && FindAttr(attrs, "spill") == nullptr) {
    text += fmt::format("{}\"spill\":\"{}\"", text.size() > 1 ? "," : "", SpillRoleName(spill));
  }
  return text + "}";
}

/// The arguments of mod_alloc; those at their defaults are left out.
std::string LawText(const ModuloLaw& law, Space space) {
  std::string text = space == Space::kPsum ? fmt::format("\"base_bank\":{}", law.base_bank.value)
                                           : fmt::format("\"base_addr\":{}", law.base_addr.value);
  if (space == Space::kPsum && law.base_addr.value != 0)
    text += fmt::format(",\"base_addr\":{}", law.base_addr.value);
  if (law.base_partition.value != 0)
    text += fmt::format(",\"base_partition\":{}", law.base_partition.value);
  for (const auto& [name, counts] : {std::pair{"num_bank_tiles", &law.num_bank_tiles},
                                     {"num_par_tiles", &law.num_par_tiles},
                                     {"num_free_tiles", &law.num_free_tiles}}) {
    if (!counts->empty()) text += fmt::format(",\"{}\":{}", name, Integers(*counts));
  }
  return "{\"mod_alloc\":{" + text + "}}";
}

std::string TensorLine(const Tensor& tensor, std::int64_t version) {
  std::string text =
      fmt::format(R"({{"tensor":{},"space":"{}","dtype":"{}","shape":{})", JsonString(tensor.name),
                  SpaceName(tensor.space), DTypeName(tensor.dtype), Integers(tensor.shape));
  if (!tensor.blocks.empty()) text += R"(,"blocks":)" + Integers(tensor.blocks);
  if (tensor.role != Role::kInternal) text += fmt::format(R"(,"role":"{}")", RoleName(tensor.role));
  if (version >= 2 && FollowsModuloLaw(tensor)) {
    text += R"(,"alloc":)" + LawText(*tensor.alloc, tensor.space);
  } else if (!tensor.at.empty()) {
    text += R"(,"at":)" + (tensor.blocks.empty() ? AddressText(tensor.at.front())
                                                 : JsonList(tensor.at, AddressText));
    if (version >= 2 && tensor.by_function) text += R"(,"alloc":"func")";
  }
  return text + "}";
}

std::string LoopLine(const Loop& loop) {
  return fmt::format(R"({{"loop":{},"kind":"{}","begin":{},"end":{},"step":{}}})",
                     JsonString(loop.name), LoopKindName(loop.kind), loop.begin, loop.end,
                     loop.step);
}

class InstructionPrinter {
 public:
  explicit InstructionPrinter(const Kernel& kernel) : kernel_(kernel) {}

  std::string Line(const Instruction& instruction) const {
    std::string text = R"({"op":)" + JsonString(instruction.op);
    if (instruction.engine)
      text += fmt::format(R"(,"engine":"{}")", EngineName(*instruction.engine));
    if (!instruction.outputs.empty()) text += R"(,"out":)" + Groups(instruction.outputs);
    if (!instruction.inputs.empty()) text += R"(,"in":)" + Groups(instruction.inputs);
    if (!instruction.attrs.empty() || instruction.spill != SpillRole::kNone) {
      text += R"(,"attr":)" + Attributes(instruction.attrs, instruction.spill);
    }
    if (!instruction.when.empty()) {
      text += R"(,"when":)" + JsonList(instruction.when, [&](const Predicate& predicate) {
                return fmt::format(R"({{"expr":{},"cmp":"{}"}})", Index(predicate.expr),
                                   ComparisonName(predicate.comparison));
              });
    }
    if (!instruction.source_loops.empty()) {
      text += R"(,"loops":)" + JsonList(instruction.source_loops, [](const auto& loop) {
                return fmt::format("[{},{}]", JsonString(loop.first), loop.second);
              });
    }
    if (!instruction.src.empty()) text += R"(,"src":)" + JsonString(instruction.src);
    return text + "}";
  }

 private:
  std::string Index(const AffineExpr& expr) const {
    if (expr.IsConstant() && expr.modulus == 0) return fmt::to_string(expr.constant);
    std::string text = "{";
    if (expr.constant != 0) text += fmt::format("\"c\":{}", expr.constant);
    for (const AffineTerm& term : expr.terms) {
      text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "",
                          JsonString(kernel_.loops[term.loop].name), term.coefficient);
    }
    if (expr.modulus != 0)
      text += fmt::format("{}\"mod\":{}", text.size() > 1 ? "," : "", expr.modulus);
    return text + "}";
  }

  std::string OperandText(const Operand& operand) const {
    const Tensor& tensor = kernel_.tensors[operand.tensor];
    std::string text = R"({"t":)" + JsonString(tensor.name);
    if (!operand.block.empty())
      text += R"(,"b":)" + JsonList(operand.block, [&](const AffineExpr& e) { return Index(e); });
    if (tensor.space != Space::kDram) {
      text +=
          fmt::format(R"(,"p":[{},{}])", Index(operand.partition_start), operand.partition_count);
    }
    text += fmt::format(R"(,"f":[{},{}])", Index(operand.free_offset),
                        JsonList(operand.free_dims, [](const FreeDim& dim) {
                          return fmt::format("[{},{}]", dim.step, dim.count);
                        }));
    if (operand.as) text += fmt::format(R"(,"as":"{}")", DTypeName(*operand.as));
    if (!operand.indirect.empty()) text += R"(,"indirect":)" + JsonString(operand.indirect);
    return text + "}";
  }

  std::string Groups(const std::vector<OperandGroup>& groups) const {
    std::string text = "{";
    for (const OperandGroup& group : groups) {
      const auto print = [&](const Operand& operand) { return OperandText(operand); };
      text += fmt::format(
          "{}{}:{}", text.size() > 1 ? "," : "", JsonString(group.name),
          group.is_list ? JsonList(group.operands, print) : print(group.operands.at(0)));
    }
    return text + "}";
  }

  const Kernel& kernel_;
};

}  // namespace

void PrintKernelFile(const Kernel& kernel, std::ostream& out) {
  out << fmt::format(R"({{"kernel":{},"version":{},"target":{})", JsonString(kernel.name),
                     kernel.version, JsonString(kernel.target));
  if (!kernel.origin.empty()) out << R"(,"origin":)" << Attributes(kernel.origin);
  if (!kernel.opts.empty()) out << R"(,"opts":)" << Attributes(kernel.opts);
  out << "}\n";
  for (const Tensor& tensor : kernel.tensors) out << TensorLine(tensor, kernel.version) << '\n';
  const InstructionPrinter printer(kernel);
  for (const BodyItem& item : kernel.body) {
    switch (item.kind) {
      case BodyKind::kLoopBegin: out << LoopLine(kernel.loops[item.loop()]) << '\n'; break;
      case BodyKind::kInstruction:
        out << printer.Line(kernel.instructions[item.instruction()]) << '\n';
        break;
      case BodyKind::kLoopEnd:
        out << fmt::format("{{\"end\":{}}}\n", JsonString(kernel.loops[item.loop()].name));
        break;
    }
  }
}

std::string PrintKernelFile(const Kernel& kernel) {
  std::ostringstream out;
  PrintKernelFile(kernel, out);
  return std::move(out).str();
}

Result<void> WriteKernelFile(const Kernel& kernel, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  bool written = file.good();
  if (written && path.ends_with(".zst")) {
    ZstdBuffer buffer(file);
    std::ostream out(&buffer);
    PrintKernelFile(kernel, out);
    written = out.good() && buffer.Close();
  } else if (written) {
    PrintKernelFile(kernel, file);
  }
  file.close();
  if (written && file.good()) return {};
  return Fail({Kind::kFile, "file-not-written",
               "expected to write the file, found that writing fails", path, 0});
}

}  // namespace spillway
