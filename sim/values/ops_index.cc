#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "model/alloc/ir/footprint.h"
#include "sim/values/convert.h"
#include "sim/values/op_table.h"
#include "sim/values/tile.h"

namespace spillway {
namespace {

/// The affine index of each element of a row, without its partition's part.
std::vector<std::int64_t> RowIndexes(const std::vector<FreeDim>& pattern) {
  std::vector<std::int64_t> indexes = {0};
  for (const FreeDim& dim : pattern) {
    std::vector<std::int64_t> finer;
    finer.reserve(indexes.size() * static_cast<std::size_t>(dim.count));
    for (const std::int64_t start : indexes) {
      for (std::int64_t i = 0; i < dim.count; ++i) finer.push_back(start + i * dim.step);
    }
    indexes = std::move(finer);
  }
  return indexes;
}

Reason CheckPattern(const Instruction& instruction, const Operand& rows) {
  const std::optional<std::vector<FreeDim>> pattern = PatternAttr(instruction, "pattern");
  if (!pattern) return "\"pattern\" isn't a list of [step, count]";
  if (PatternElements(*pattern) != ColumnsOf(rows)) {
    return fmt::format("\"pattern\" has {} elements for {} of a row", PatternElements(*pattern),
                       ColumnsOf(rows));
  }
  constexpr std::int64_t kLimit = std::int64_t{1} << 53;  // beyond, sums of indexes may overflow
  for (const std::string_view name : {"offset", "base", "channel_multiplier"}) {
    const AttrValue* attr = FindAttr(instruction.attrs, name);
    if (attr == nullptr) continue;
    const auto* number = std::get_if<std::int64_t>(&attr->value);
    if (number == nullptr || *number > kLimit || *number < -kLimit) {
      return fmt::format("\"{}\" isn't an integer of at most 53 bits", name);
    }
  }
  return std::nullopt;
}

std::int64_t IntegerOr(const Instruction& instruction, std::string_view name, std::int64_t other) {
  return IntAttr(instruction.attrs, name).value_or(other);
}

// affine_select: where offset + channel_multiplier * row + pattern index compares with 0 the
// element passes, elsewhere it becomes on_false_value. Source: NKI ISA, affine_select.

Reason CheckAffineSelect(const Kernel&, const Instruction& instruction) {
  const Operand& data = *Input(instruction, "on_true_tile");
  const std::optional<BinaryOp> op = ParseBinaryOp(StringAttr(instruction.attrs, "cmp_op"));
  if (!op || !CompareWithZero(*op, 0)) return "\"cmp_op\" is no comparison";
  if (!NumberAttr(instruction.attrs, "on_false_value")) return "\"on_false_value\" is no number";
  return FirstOf({SameElements(instruction, &data, Output(instruction, "dst")),
                  CheckPattern(instruction, data)});
}

InstructionResult ComputeAffineSelect(const OpContext& c) {
  const BinaryOp op = OperatorOf(c.instruction, "cmp_op");
  const auto otherwise = static_cast<float>(*NumberAttr(c.instruction.attrs, "on_false_value"));
  const std::int64_t multiplier = IntegerOr(c.instruction, "channel_multiplier", 0);
  const std::int64_t offset = IntegerOr(c.instruction, "offset", 0);
  const std::vector<std::int64_t> indexes = RowIndexes(*PatternAttr(c.instruction, "pattern"));
  Tile tile = LoadTile(c, *Input(c.instruction, "on_true_tile"));
  for (std::int64_t r = 0; r < tile.rows(); ++r) {
    const std::span<float> row = tile.row(r);
    const std::int64_t base = offset + multiplier * r;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!*CompareWithZero(op, base + indexes[i])) row[i] = otherwise;
    }
  }
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), tile)}});
}

// iota: offset + channel_multiplier * row + pattern index, in integers.

Reason CheckIota(const Kernel&, const Instruction& instruction) {
  return CheckPattern(instruction, *Output(instruction, "dst"));
}

InstructionResult ComputeIota(const OpContext& c) {
  const Operand& dst = *Output(c.instruction, "dst");
  const std::int64_t multiplier = IntegerOr(c.instruction, "channel_multiplier", 0);
  const std::int64_t offset =
      IntegerOr(c.instruction, "offset", 0) + IntegerOr(c.instruction, "base", 0);
  const std::vector<std::int64_t> indexes = RowIndexes(*PatternAttr(c.instruction, "pattern"));
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(ElementCount(dst)));
  for (std::int64_t r = 0; r < RowsOf(dst); ++r) {
    for (const std::int64_t index : indexes) values.push_back(offset + multiplier * r + index);
  }
  const DType dtype = OperandDType(c.kernel, dst);
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(ElementSize(dtype).value));
  EncodeIntegers(dtype, values, bytes);
  return Assemble(c, {{"dst", std::move(bytes)}});
}

Reason CheckMemset(const Kernel&, const Instruction& instruction) {
  if (NumberAttr(instruction.attrs, "value")) return std::nullopt;
  return "\"value\" is no number";
}

InstructionResult ComputeMemset(const OpContext& c) {
  const Operand& dst = *Output(c.instruction, "dst");
  const DType dtype = OperandDType(c.kernel, dst);
  std::array<std::byte, 4> pattern{};
  const auto size = static_cast<std::size_t>(ElementSize(dtype).value);
  const std::span<std::byte> element(pattern.data(), size);
  if (const std::optional<std::int64_t> integer = IntAttr(c.instruction.attrs, "value")) {
    EncodeIntegers(dtype, std::span(&*integer, 1), element);
  } else {
    const auto value = static_cast<float>(*NumberAttr(c.instruction.attrs, "value"));
    EncodeElements(dtype, std::span(&value, 1), element);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(ElementCount(dst)) * size);
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::copy(element.begin(), element.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return Assemble(c, {{"dst", std::move(bytes)}});
}

constexpr std::int64_t kEight = 8;

Reason CheckMax8(const Kernel&, const Instruction& instruction) {
  const Operand& data = *Input(instruction, "src");
  if (ColumnsOf(data) < kEight) return "max8 needs 8 elements a row";
  if (ElementCount(*Output(instruction, "dst")) != RowsOf(data) * kEight) {
    return "dst needs 8 elements a row";
  }
  return std::nullopt;
}

/// The eight largest of each row, the largest first. Source: NKI ISA, max8.
InstructionResult ComputeMax8(const OpContext& c) {
  Tile data = LoadTile(c, *Input(c.instruction, "src"));
  Tile largest(data.rows(), kEight);
  // NaN sorts last, so that the order is total.
  const auto larger = [](float a, float b) { return b != b ? a == a : a > b; };
  for (std::int64_t r = 0; r < data.rows(); ++r) {
    std::partial_sort_copy(data.row(r).begin(), data.row(r).end(), largest.row(r).begin(),
                           largest.row(r).end(), larger);
  }
  return Assemble(c, {{"dst", Encoded(c, *Output(c.instruction, "dst"), largest)}});
}

Reason CheckFindIndex8(const Kernel& kernel, const Instruction& instruction) {
  const std::int64_t rows = RowsOf(*Input(instruction, "data"));
  const Operand& dst = *Output(instruction, "dst");
  if (ElementCount(*Input(instruction, "vals")) != rows * kEight ||
      ElementCount(dst) != rows * kEight) {
    return "vals and dst need 8 elements a row";
  }
  if (IsFloat(OperandDType(kernel, dst))) return "dst has no integer type";
  return std::nullopt;
}

/// Place of the first element of the row that equals each value; all ones where there is none.
/// Source: NKI ISA, nc_find_index8.
InstructionResult ComputeFindIndex8(const OpContext& c) {
  const Operand& dst = *Output(c.instruction, "dst");
  const DType dtype = OperandDType(c.kernel, dst);
  const Tile data = LoadTile(c, *Input(c.instruction, "data"));
  const Tile values = LoadTile(c, *Input(c.instruction, "vals")).Reshaped(data.rows(), kEight);
  std::vector<std::int64_t> places;
  for (std::int64_t r = 0; r < data.rows(); ++r) {
    const std::span<const float> row = data.row(r);
    for (const float value : values.row(r)) {
      const auto found = std::find(row.begin(), row.end(), value);
      const bool unsigned_type = LimitsOf(dtype).min == 0;
      const std::int64_t missing = unsigned_type ? LimitsOf(dtype).max : -1;
      places.push_back(found == row.end() ? missing : found - row.begin());
    }
  }
  std::vector<std::byte> bytes(places.size() * static_cast<std::size_t>(ElementSize(dtype).value));
  EncodeIntegers(dtype, places, bytes);
  return Assemble(c, {{"dst", std::move(bytes)}});
}

}  // namespace

std::span<const NumericOp> IndexOps() {
  static constexpr std::array kOps = {
      NumericOp{"affine_select",
                {"dst", "on_true_tile", "pattern offset channel_multiplier cmp_op on_false_value"},
                CheckAffineSelect,
                ComputeAffineSelect},
      NumericOp{
          "iota", {"dst", "", "pattern offset base channel_multiplier"}, CheckIota, ComputeIota},
      NumericOp{"memset", {"dst", "", "value"}, CheckMemset, ComputeMemset},
      NumericOp{"max8", {"dst", "src", ""}, CheckMax8, ComputeMax8},
      NumericOp{"nc_find_index8", {"dst", "data vals", ""}, CheckFindIndex8, ComputeFindIndex8},
  };
  return kOps;
}

}  // namespace spillway
