// Operands as float32 matrices: rows are partitions, columns the elements of a partition.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/values/numeric_ops.h"
#include "sim/values/operators.h"

namespace spillway {

/// Float32 values, row by row, at an address aligned for vectors. Not initialised when made.
class Tile {
 public:
  Tile() = default;
  Tile(std::int64_t rows, std::int64_t columns);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t size() const { return rows_ * columns_; }
  std::span<float> row(std::int64_t r) {
    return {values_.get() + r * columns_, static_cast<std::size_t>(columns_)};
  }
  std::span<const float> row(std::int64_t r) const {
    return {values_.get() + r * columns_, static_cast<std::size_t>(columns_)};
  }
  std::span<float> all() { return {values_.get(), static_cast<std::size_t>(size())}; }
  std::span<const float> all() const { return {values_.get(), static_cast<std::size_t>(size())}; }
  /// The same values in element order as another matrix of equal size.
  Tile Reshaped(std::int64_t rows, std::int64_t columns) &&;

 private:
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::unique_ptr<float[]> values_;
};

/// The operand's values.
Tile LoadTile(const OpContext& context, const Operand& operand);

/// `tile` in the operand's dtype, packed.
std::vector<std::byte> Encoded(const OpContext& context, const Operand& operand, const Tile& tile);

/// The operand's bytes in element order.
std::vector<std::byte> LoadBytes(const OpContext& context, const Operand& operand);

/// A result from outputs by name, put in the instruction's order.
using NamedOutputs = std::vector<std::pair<std::string_view, std::vector<std::byte>>>;
InstructionResult Assemble(const OpContext& context, NamedOutputs outputs);

/// A number, a value a row, or a value an element, to stand on the other side of an operator.
class Broadcast {
 public:
  /// The operand or attribute of that name, for a tile of `rows` rows; `otherwise` if absent.
  Broadcast(const OpContext& context, std::string_view name, std::int64_t rows, float otherwise);
  RowOperand row(std::int64_t r) const;
  /// The value for a whole row; the operand must not have one an element.
  float value(std::int64_t r) const { return *row(r).values; }

 private:
  Tile values_;
  float number_ = 0.0f;
  bool is_number_ = true;
};

}  // namespace spillway
