#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/alloc/ir/footprint.h"
#include "sim/values/op_table.h"
#include "sim/values/tile.h"

namespace spillway {
namespace {

/// First dimension that a reduction folds, 0 being the partitions; nothing if `axis` isn't a number
/// or a list of numbers that runs up to the last dimension.
std::optional<std::int64_t> FirstAxis(const Instruction& instruction, std::int64_t dimensions) {
  const AttrValue* attr = FindAttr(instruction.attrs, "axis");
  if (attr == nullptr) return std::nullopt;
  std::vector<std::int64_t> axes;
  if (const auto* one = std::get_if<std::int64_t>(&attr->value)) {
    axes.push_back(*one);
  } else if (const auto* list = std::get_if<AttrValue::List>(&attr->value)) {
    for (const AttrValue& item : *list) {
      const auto* axis = std::get_if<std::int64_t>(&item.value);
      if (axis == nullptr) return std::nullopt;
      axes.push_back(*axis);
    }
    if (axes.empty()) return std::nullopt;
    std::sort(axes.begin(), axes.end());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] != dimensions - static_cast<std::int64_t>(axes.size() - i)) return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  if (axes.front() < 1 || axes.front() >= dimensions) return std::nullopt;
  return axes.front();
}

/// Elements of a row that fold into one result.
std::optional<std::int64_t> FoldedElements(const Instruction& instruction) {
  const Operand& data = *Input(instruction, "data");
  const auto dimensions = static_cast<std::int64_t>(data.free_dims.size()) + 1;
  const std::optional<std::int64_t> axis = FirstAxis(instruction, dimensions);
  if (!axis) return std::nullopt;
  std::int64_t folded = 1;
  for (auto d = static_cast<std::size_t>(*axis - 1); d < data.free_dims.size(); ++d) {
    folded *= data.free_dims[d].count;
  }
  return folded;
}

Reason CheckTensorReduce(const Kernel&, const Instruction& instruction) {
  const std::optional<std::int64_t> folded = FoldedElements(instruction);
  if (!folded) return "\"axis\" doesn't run from a free dimension to the last";
  const std::int64_t want = ElementCount(*Input(instruction, "data")) / *folded;
  const std::int64_t have = ElementCount(*Output(instruction, "dst"));
  if (want != have) return fmt::format("{} results for {} elements of dst", want, have);
  return KnownOperator(instruction, "op", true);
}

InstructionResult ComputeTensorReduce(const OpContext& c) {
  const BinaryOp op = OperatorOf(c.instruction, "op");
  const std::int64_t folded = *FoldedElements(c.instruction);
  Tile data = LoadTile(c, *Input(c.instruction, "data"));
  const std::int64_t results = data.size() / folded;
  const Tile rows = std::move(data).Reshaped(results, folded);
  Tile reduced(results, 1);
  for (std::int64_t r = 0; r < results; ++r) {
    const float value = ReduceRow(op, rows.row(r));
    reduced.row(r).front() = BoolAttr(c.instruction.attrs, "negate", false) ? -value : value;
  }
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), reduced)}});
}

Reason CheckPartitionReduce(const Kernel&, const Instruction& instruction) {
  if (ElementCount(*Output(instruction, "dst")) != ColumnsOf(*Input(instruction, "data"))) {
    return "dst needs one element a column of data";
  }
  return KnownOperator(instruction, "op", true);
}

InstructionResult ComputePartitionReduce(const OpContext& c) {
  const BinaryOp op = OperatorOf(c.instruction, "op");
  const Tile data = LoadTile(c, *Input(c.instruction, "data"));
  Tile folded(1, data.columns());
  std::copy(data.row(0).begin(), data.row(0).end(), folded.row(0).begin());
  for (std::int64_t r = 1; r < data.rows(); ++r) {
    ApplyRow(op, false, folded.row(0), {data.row(r).data(), false});
  }
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), folded)}});
}

// tensor_tensor_scan: r[i] = op1(op0(data0[i], r[i - 1]), data1[i]) with r[-1] = initial.
// Source: NKI ISA, tensor_tensor_scan; the reverse flags swap an operator's sides.

Reason CheckScan(const Kernel&, const Instruction& instruction) {
  const Operand* data = Input(instruction, "data0");
  if (const Operand* initial = Input(instruction, "initial")) {
    const std::int64_t count = ElementCount(*initial);
    if (count != 1 && count != RowsOf(*data)) return "\"initial\" needs one element a row";
  } else if (!NumberAttr(instruction.attrs, "initial")) {
    return "\"initial\" is neither a number nor a tensor";
  }
  return FirstOf({SameElements(instruction, data, Output(instruction, "dst")),
                  SameElements(instruction, data, Input(instruction, "data1")),
                  KnownOperator(instruction, "op0"), KnownOperator(instruction, "op1")});
}

InstructionResult ComputeScan(const OpContext& c) {
  const std::vector<Attr>& attrs = c.instruction.attrs;
  const BinaryOp op0 = OperatorOf(c.instruction, "op0");
  const BinaryOp op1 = OperatorOf(c.instruction, "op1");
  const bool reverse0 = BoolAttr(attrs, "reverse0", false);
  const bool reverse1 = BoolAttr(attrs, "reverse1", false);
  Tile tile = LoadTile(c, *Input(c.instruction, "data0"));
  const Tile other =
      LoadTile(c, *Input(c.instruction, "data1")).Reshaped(tile.rows(), tile.columns());
  const Broadcast initial(c, "initial", tile.rows(), 0.0f);
  for (std::int64_t r = 0; r < tile.rows(); ++r) {
    const std::span<float> row = tile.row(r);
    const std::span<const float> right = other.row(r);
    float last = initial.value(r);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const float first = reverse0 ? ApplyOne(op0, last, row[i]) : ApplyOne(op0, row[i], last);
      last = reverse1 ? ApplyOne(op1, right[i], first) : ApplyOne(op1, first, right[i]);
      row[i] = last;
    }
  }
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), tile)}});
}

}  // namespace

std::span<const NumericOp> ReductionOps() {
  static constexpr std::array kOps = {
      NumericOp{"tensor_reduce",
                {"dst", "data", "op axis negate"},
                CheckTensorReduce,
                ComputeTensorReduce},
      NumericOp{"tensor_partition_reduce",
                {"dst", "data", "op"},
                CheckPartitionReduce,
                ComputePartitionReduce},
      NumericOp{"tensor_tensor_scan",
                {"dst", "data0 data1 initial?", "op0 op1 initial reverse0 reverse1"},
                CheckScan,
                ComputeScan},
  };
  return kOps;
}

}  // namespace spillway
