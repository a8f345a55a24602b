#include <fmt/format.h>

#include "traces/decode_lines.h"
#include "traces/names.h"

namespace spillway {
namespace {

/// Decodes the operands of one line against the names that it may use.
class OperandDecoder {
 public:
  OperandDecoder(Decoder& decoder, const Kernel& kernel, const KnownNames& names)
      : decoder_(decoder), kernel_(kernel), names_(names) {}

  std::vector<OperandGroup> Groups(const Node& node) {
    std::vector<OperandGroup> groups;
    if (!node.present() || !decoder_.Is(node, JsonType::kObject)) return groups;
    groups.reserve(node.size());
    for (std::size_t i = 0; i < node.size() && decoder_.ok(); ++i)
      groups.push_back(Group(node.Item(i)));
    return groups;
  }

  AffineExpr Index(const Node& node) { return DecodeIndex(node, decoder_, kernel_, names_); }

 private:
  OperandGroup Group(const Node& node) {
    OperandGroup group;
    group.name = node.key;
    if (group.name.empty()) decoder_.Refuse(Fault::kEmptyName, node, "a name", "an empty key");
    group.is_list = node.value->type == JsonType::kList;
    if (!group.is_list) {
      group.operands.push_back(One(node));
      return group;
    }
    for (std::size_t i = 0; i < node.size() && decoder_.ok(); ++i)
      group.operands.push_back(One(node.Item(i)));
    return group;
  }

  Operand One(const Node& node) {
    Operand operand;
    if (!decoder_.Fields(node, {"t", "f"}, {"b", "p", "as", "indirect"})) return operand;
    const Node name = node.Member("t");
    const std::string_view text = decoder_.Name(name);
    const auto found = names_.tensors.find(text);
    if (found == names_.tensors.end()) {
      decoder_.Refuse(Fault::kUnknownTensor, name, "a tensor declared on an earlier line",
                      Decoder::Quoted(text));
      return operand;
    }
    operand.tensor = found->second;
    const Tensor& tensor = kernel_.tensors[operand.tensor];
    operand.block = Blocks(node.Member("b"), tensor);
    Partitions(node.Member("p"), tensor, operand);
    Pattern(node.Member("f"), operand);
    if (const Node as = node.Member("as"); as.present()) {
      operand.as = decoder_.Word(as, ParseDType, Fault::kUnknownDtype, kDtypeWords);
    }
    if (const Node indirect = node.Member("indirect"); indirect.present()) {
      operand.indirect = decoder_.Name(indirect);
      if (const auto offsets = names_.tensors.find(operand.indirect);
          offsets != names_.tensors.end()) {
        operand.offsets = offsets->second;
      }
    }
    return operand;
  }

  std::vector<AffineExpr> Blocks(const Node& node, const Tensor& tensor) {
    std::vector<AffineExpr> indices;
    const auto rank = [&] {
      return fmt::format("{} block indices of tensor \"{}\"", tensor.blocks.size(), tensor.name);
    };
    if (!node.present()) {
      if (!tensor.blocks.empty())
        decoder_.Refuse(Fault::kMissingBlockIndex, node, rank(), "no such key");
      return indices;
    }
    if (tensor.blocks.empty()) {
      decoder_.Refuse(Fault::kUnexpectedBlockIndex, node,
                      fmt::format("no b, since tensor \"{}\" has no blocks", tensor.name),
                      Decoder::Found(node));
      return indices;
    }
    if (!decoder_.Is(node, JsonType::kList)) return indices;
    if (node.size() != tensor.blocks.size())
      decoder_.Refuse(Fault::kBlockIndexCount, node, rank(), Decoder::Found(node));
    for (std::size_t i = 0; i < node.size() && decoder_.ok(); ++i)
      indices.push_back(Index(node.Item(i)));
    return indices;
  }

  void Partitions(const Node& node, const Tensor& tensor, Operand& operand) {
    if (tensor.space == Space::kDram) {
      if (node.present())
        decoder_.Refuse(Fault::kPartitionsOnDram, node,
                        fmt::format("no p, since tensor \"{}\" lies in DRAM", tensor.name),
                        Decoder::Found(node));
      return;
    }
    if (!node.present()) {
      decoder_.Refuse(Fault::kMissingPartitions, node,
                      fmt::format("[start, count], since tensor \"{}\" lies in {}", tensor.name,
                                  SpaceName(tensor.space)),
                      "no such key");
      return;
    }
    if (!decoder_.IsListOf(node, 2)) return;
    operand.partition_start = Index(node.Item(0));
    operand.partition_count = Count(node.Item(1));
  }

  void Pattern(const Node& node, Operand& operand) {
    if (!decoder_.IsListOf(node, 2)) return;
    operand.free_offset = Index(node.Item(0));
    const Node dims = node.Item(1);
    if (!decoder_.Is(dims, JsonType::kList)) return;
    std::int64_t elements = std::max<std::int64_t>(operand.partition_count, 1);
    operand.free_dims.reserve(dims.size());
    for (std::size_t i = 0; i < dims.size() && decoder_.ok(); ++i) {
      const Node pair = dims.Item(i);
      if (!decoder_.IsListOf(pair, 2)) return;
      operand.free_dims.push_back(
          {decoder_.Integer(pair.Item(0), -kMaxIndex, kMaxIndex), Count(pair.Item(1))});
      if (__builtin_mul_overflow(elements, operand.free_dims.back().count, &elements) ||
          elements > kMaxBytes) {
        decoder_.Refuse(Fault::kOperandTooLarge, node,
                        fmt::format("at most {} elements", kMaxBytes), "more");
      }
    }
  }

  std::int64_t Count(const Node& node) {
    const std::int64_t count = decoder_.Integer(node, -kMaxIndex, kMaxIndex);
    if (count < 1)
      decoder_.Refuse(Fault::kCountNotPositive, node, "a count of at least 1",
                      Decoder::Found(node));
    return count;
  }

  Decoder& decoder_;
  const Kernel& kernel_;
  const KnownNames& names_;
};

std::vector<std::pair<std::string, std::int64_t>> DecodeSourceLoops(const Node& node,
                                                                    Decoder& decoder) {
  std::vector<std::pair<std::string, std::int64_t>> loops;
  if (!node.present() || !decoder.Is(node, JsonType::kList)) return loops;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node pair = node.Item(i);
    if (!decoder.IsListOf(pair, 2)) return loops;
    loops.emplace_back(decoder.Name(pair.Item(0)),
                       decoder.Integer(pair.Item(1), INT64_MIN, INT64_MAX));
  }
  return loops;
}

std::vector<Predicate> DecodePredicates(const Node& node, Decoder& decoder,
                                        OperandDecoder& operands) {
  std::vector<Predicate> when;
  if (!node.present() || !decoder.Is(node, JsonType::kList)) return when;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node item = node.Item(i);
    if (!decoder.Fields(item, {"expr", "cmp"}, {})) return when;
    when.push_back({operands.Index(item.Member("expr")),
                    decoder.Word(item.Member("cmp"), ParseComparison, Fault::kUnknownComparison,
                                 ">=0, >0, <=0, <0, ==0 or !=0")});
  }
  return when;
}

}  // namespace

std::vector<Attr> DecodeAttributes(const Node& node, Decoder& decoder) {
  std::vector<Attr> attrs;
  if (!node.present() || !decoder.Is(node, JsonType::kObject)) return attrs;
  attrs.reserve(node.size());
  for (std::size_t i = 0; i < node.size() && decoder.ok(); ++i) {
    const Node item = node.Item(i);
    attrs.push_back({std::string(item.key), decoder.Attribute(item)});
  }
  return attrs;
}

Instruction DecodeInstruction(const Node& node, Decoder& decoder, const Kernel& kernel,
                              const KnownNames& names) {
  Instruction instruction;
  if (!decoder.Fields(node, {"op"}, {"engine", "out", "in", "attr", "when", "loops", "src"}))
    return instruction;
  OperandDecoder operands(decoder, kernel, names);
  instruction.op = decoder.Name(node.Member("op"));
  if (const Node engine = node.Member("engine"); engine.present()) {
    instruction.engine =
        decoder.Word(engine, ParseEngine, Fault::kUnknownEngine, "pe, act, pool, dve, sp or dma");
  }
  const Node out = node.Member("out");
  const Node in = node.Member("in");
  const Node attr = node.Member("attr");
  instruction.outputs = operands.Groups(out);
  instruction.inputs = operands.Groups(in);
  instruction.attrs = DecodeAttributes(attr, decoder);
  instruction.when = DecodePredicates(node.Member("when"), decoder, operands);
  instruction.source_loops = DecodeSourceLoops(node.Member("loops"), decoder);
  if (const Node src = node.Member("src"); src.present()) instruction.src = decoder.String(src);
  if (attr.present() && decoder.ok()) {
    if (const Node spill = attr.Member("spill"); spill.present()) {
      instruction.spill =
          decoder.Word(spill, ParseSpillRole, Fault::kUnknownSpillRole, "save or reload");
    }
  }
  return instruction;
}

}  // namespace spillway
