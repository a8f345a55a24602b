#include "model/alloc/check/equation_copies.h"

#include <algorithm>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/footprint.h"
#include "model/hw/error.h"

namespace spillway::check::backward {
namespace {

constexpr std::size_t kAllRuns = std::size_t{1} << 20;

const Operand* OnlyOperand(const std::vector<OperandGroup>& groups) {
  if (groups.size() != 1 || groups.front().operands.size() != 1) return nullptr;
  const Operand& operand = groups.front().operands.front();
  return operand.indirect.empty() ? &operand : nullptr;
}

// One way to write each pattern: no dimension of one, none that continues the next.
std::vector<FreeDim> Canonical(std::vector<FreeDim> dims) {
  std::erase_if(dims, [](const FreeDim& dim) { return dim.count == 1; });
  for (std::size_t d = dims.size(); d-- > 1;) {
    if (dims[d - 1].step != dims[d].step * dims[d].count) continue;
    dims[d - 1] = {dims[d].step, dims[d - 1].count * dims[d].count};
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
  }
  return dims;
}

struct RowsAndRest {
  std::int64_t row = 0;
  std::vector<FreeDim> rest;
};

// A flat pattern as `rows` equal ones, a fixed step apart.
std::optional<RowsAndRest> SplitRows(const std::vector<FreeDim>& dims, std::int64_t rows) {
  if (!dims.empty() && dims.front().count == rows) {
    return RowsAndRest{dims.front().step, Canonical({dims.begin() + 1, dims.end()})};
  }
  RowsAndRest split{0, Canonical(dims)};
  if (rows == 1) return split;
  if (split.rest.empty() || split.rest.front().count % rows != 0) return std::nullopt;
  FreeDim& outer = split.rest.front();
  outer.count /= rows;
  split.row = outer.step * outer.count;
  split.rest = Canonical(std::move(split.rest));
  return split;
}

bool IsPlane(const Kernel& kernel, const Operand& operand) {
  return kernel.tensors[operand.tensor].space != Space::kDram;
}

Bytes ElementOf(const Kernel& kernel, const Operand& operand) {
  return ElementSize(OperandDType(kernel, operand));
}

struct Origin {
  std::int64_t partition = 0;
  std::int64_t byte = 0;
};

Origin OriginOf(const Kernel& kernel, const Operand& operand,
                std::span<const std::int64_t> loop_values) {
  Origin origin;
  if (IsPlane(kernel, operand)) origin.partition = Evaluate(operand.partition_start, loop_values);
  origin.byte = ElementOf(kernel, operand).value * Evaluate(operand.free_offset, loop_values);
  return origin;
}

PlaneSet BytesOf(const Kernel& kernel, const Operand& operand, const Origin& origin) {
  const Bytes element = ElementOf(kernel, operand);
  const std::int64_t rows = IsPlane(kernel, operand) ? operand.partition_count : 1;
  return PlaneSet({Partition(origin.partition), Partition(origin.partition + rows)},
                  RunsOf(origin.byte / element.value, operand.free_dims, element, kAllRuns));
}

// Elements of an operand in the order in which it visits them, as origins.
std::vector<Origin> ElementsOf(const Kernel& kernel, const Operand& operand, const Origin& origin) {
  const std::int64_t element = ElementOf(kernel, operand).value;
  std::vector<std::int64_t> offsets = {origin.byte};
  for (const FreeDim& dim : operand.free_dims) {
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(dim.count));
    for (const std::int64_t offset : offsets) {
      for (std::int64_t i = 0; i < dim.count; ++i) next.push_back(offset + i * dim.step * element);
    }
    offsets = std::move(next);
  }
  std::vector<Origin> elements;
  const std::int64_t rows = IsPlane(kernel, operand) ? operand.partition_count : 1;
  elements.reserve(offsets.size() * static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const std::int64_t offset : offsets) elements.push_back({origin.partition + row, offset});
  }
  return elements;
}

// The site that takes coordinates `at` to where `site` takes `place`.
Site Aligned(const Site& site, const Origin& place, const Origin& at, std::int64_t row) {
  if (site.form == Site::Form::kPlane) {
    return {site.form, site.memory, site.first + place.partition - at.partition,
            site.second + place.byte - at.byte};
  }
  return {site.form, site.memory, site.first + place.byte - at.partition * row - at.byte, row};
}

std::vector<Move> Pieces(const Kernel& kernel, const CopyShape& shape, const Site& to,
                         const Site& from, const Origin& origin_to, const Origin& origin_from) {
  const std::vector<Origin> targets = ElementsOf(kernel, *shape.to, origin_to);
  const std::vector<Origin> sources = ElementsOf(kernel, *shape.from, origin_from);
  const std::int64_t element = ElementOf(kernel, *shape.to).value;
  SPILLWAY_CHECK(targets.size() == sources.size(), "a copy's sides have equally many elements");
  const auto continues = [&](const Origin& a, const Origin& b) {
    return a.partition == b.partition && b.byte == a.byte + element;
  };
  std::vector<Move> moves;
  for (std::size_t begin = 0; begin < targets.size();) {
    std::size_t end = begin + 1;
    while (end < targets.size() && continues(targets[end - 1], targets[end]) &&
           continues(sources[end - 1], sources[end])) {
      ++end;
    }
    const Origin& at = targets[begin];
    const std::int64_t bytes = static_cast<std::int64_t>(end - begin) * element;
    moves.push_back({PlaneSet({Partition(at.partition), Partition(at.partition + 1)},
                              {{ByteOffset(at.byte), ByteOffset(at.byte + bytes)}}),
                     to, Aligned(from, sources[begin], at, 0)});
    begin = end;
  }
  return moves;
}

}  // namespace

std::optional<CopyShape> CopyShapeOf(const Kernel& kernel, const Instruction& instruction) {
  using Form = CopyShape::Form;
  CopyShape shape;
  shape.to = OnlyOperand(instruction.outputs);
  shape.from = OnlyOperand(instruction.inputs);
  if (shape.to == nullptr || shape.from == nullptr) return std::nullopt;
  if (instruction.op != "dma_copy" && instruction.op != "tensor_copy") return std::nullopt;
  if (IsReadModifyWrite(instruction)) return std::nullopt;
  if (OperandDType(kernel, *shape.to) != OperandDType(kernel, *shape.from)) return std::nullopt;
  if (ElementCount(*shape.to) != ElementCount(*shape.from)) return std::nullopt;
  const bool writes_twice =
      std::any_of(shape.to->free_dims.begin(), shape.to->free_dims.end(),
                  [](const FreeDim& dim) { return dim.step == 0 && dim.count > 1; });
  if (writes_twice) return std::nullopt;
  const bool plane_to = IsPlane(kernel, *shape.to);
  const bool plane_from = IsPlane(kernel, *shape.from);
  const Operand& plane = plane_to || !plane_from ? *shape.to : *shape.from;
  if (plane_to == plane_from) {
    if (shape.to->partition_count == shape.from->partition_count &&
        Canonical(shape.to->free_dims) == Canonical(shape.from->free_dims)) {
      shape.form = Form::kSamePattern;
    }
    return shape;
  }
  const Operand& flat = plane_to ? *shape.from : *shape.to;
  const std::optional<RowsAndRest> split = SplitRows(flat.free_dims, plane.partition_count);
  if (split && split->rest == Canonical(plane.free_dims)) {
    shape.form = plane_to ? Form::kLoad : Form::kSave;
    shape.row = Bytes(split->row * ElementOf(kernel, flat).value);
  }
  return shape;
}

std::vector<Move> MovesOf(const Kernel& kernel, const CopyShape& shape, const Site& to,
                          const Site& from, std::span<const std::int64_t> loop_values) {
  const Origin at_to = OriginOf(kernel, *shape.to, loop_values);
  const Origin at_from = OriginOf(kernel, *shape.from, loop_values);
  switch (shape.form) {
    case CopyShape::Form::kSamePattern:
    case CopyShape::Form::kLoad:
      return {
          {BytesOf(kernel, *shape.to, at_to), to, Aligned(from, at_from, at_to, shape.row.value)}};
    case CopyShape::Form::kSave:
      return {{BytesOf(kernel, *shape.from, at_from), Aligned(to, at_to, at_from, shape.row.value),
               from}};
    case CopyShape::Form::kPieces: break;
  }
  return Pieces(kernel, shape, to, from, at_to, at_from);
}

}  // namespace spillway::check::backward
