#include "model/hw/systemc/measured_tables.h"

#include <algorithm>

namespace spillway {
namespace {

const OperandShape* InputOf(const InstructionShape& shape, std::string_view name,
                            std::size_t position) {
  for (const OperandShape& operand : shape.inputs) {
    if (operand.name == name) return &operand;
  }
  return position < shape.inputs.size() ? &shape.inputs[position] : nullptr;
}

bool IsTranspose(const InstructionShape& shape) { return shape.op == "nc_transpose"; }

void Put(std::vector<std::int64_t>& words, const LatencyCurve& curve) {
  words.push_back(static_cast<std::int64_t>(curve.points().size()));
  for (const LatencyPoint& point : curve.points()) {
    words.push_back(point.size);
    for (const Picoseconds time :
         {point.times.read_init, point.times.exec, point.times.write_drain})
      words.push_back(time.value);
  }
}

void Put(std::vector<std::int64_t>& words, const LatencyGrid& grid) {
  words.push_back(static_cast<std::int64_t>(grid.outer().size()));
  words.insert(words.end(), grid.outer().begin(), grid.outer().end());
  for (const LatencyCurve& curve : grid.curves()) Put(words, curve);
}

// Reads what Put wrote; `ok` turns false at the first word that can't be.
class WordReader {
 public:
  explicit WordReader(std::span<const std::int64_t> words) : words_(words) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && words_.empty(); }

  std::int64_t Next() {
    if (words_.empty()) ok_ = false;
    if (!ok_) return 0;
    const std::int64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  // A count of items that take at least a word each.
  std::size_t Count() {
    const std::int64_t count = Next();
    if (count < 0 || count > static_cast<std::int64_t>(words_.size())) ok_ = false;
    return ok_ ? static_cast<std::size_t>(count) : 0;
  }

  LatencyCurve Curve() {
    std::vector<LatencyPoint> points(Count());
    for (LatencyPoint& point : points) {
      point.size = Next();
      point.times = {Picoseconds(Next()), Picoseconds(Next()), Picoseconds(Next())};
    }
    ok_ = ok_ && IsCurve(points);
    return ok_ ? LatencyCurve(std::move(points)) : LatencyCurve();
  }

  LatencyGrid Grid() {
    std::vector<std::int64_t> outer(Count());
    for (std::int64_t& size : outer) size = Next();
    ok_ = ok_ && outer.size() >= 2 && outer.front() == 1;
    for (std::size_t i = 1; ok_ && i < outer.size(); ++i) {
      const std::int64_t length = outer[i] - outer[i - 1];
      ok_ = length > 0 && (length & (length - 1)) == 0;
    }
    std::vector<LatencyCurve> curves;
    for (std::size_t i = 0; ok_ && i < outer.size(); ++i) curves.push_back(Curve());
    return ok_ ? LatencyGrid(std::move(outer), std::move(curves)) : LatencyGrid();
  }

 private:
  std::span<const std::int64_t> words_;
  bool ok_ = true;
};

bool AnyWide(const InstructionShape& shape) {
  const auto wide = [](const OperandShape& operand) { return operand.wide_stride; };
  return std::any_of(shape.inputs.begin(), shape.inputs.end(), wide) ||
         std::any_of(shape.outputs.begin(), shape.outputs.end(), wide);
}

}  // namespace

std::int64_t ElementsOf(const InstructionShape& shape) {
  std::int64_t most = 1;
  for (const OperandShape& o : shape.inputs) most = std::max(most, o.elements);
  for (const OperandShape& o : shape.outputs) most = std::max(most, o.elements);
  return most;
}

int VariantOf(const InstructionShape& shape) {
  if (shape.engine == Engine::kPe) {
    const OperandShape* moving =
        InputOf(shape, IsTranspose(shape) ? "data" : "moving", IsTranspose(shape) ? 0 : 1);
    const bool float32 = moving != nullptr && moving->dtype == DType::kFloat32;
    return int{float32} | int{AnyWide(shape)} << 4;
  }
  bool any_psum = false;
  bool all_16 = true;
  bool all_contiguous = true;
  for (const auto* side : {&shape.inputs, &shape.outputs}) {
    for (const OperandShape& operand : *side) {
      any_psum = any_psum || operand.space == Space::kPsum;
      all_16 = all_16 && ElementSize(operand.dtype) == Bytes(2);
      all_contiguous = all_contiguous && operand.contiguous;
    }
  }
  return int{any_psum} | int{all_16} << 1 | int{all_contiguous} << 2 | int{shape.writes_zero} << 3 |
         int{AnyWide(shape)} << 4;
}

PeSizes PeSizesOf(const InstructionShape& shape) {
  if (IsTranspose(shape)) {
    const OperandShape* data = InputOf(shape, "data", 0);
    if (data != nullptr) return {data->partitions, data->elements};
  } else {
    const OperandShape* stationary = InputOf(shape, "stationary", 0);
    const OperandShape* moving = InputOf(shape, "moving", 1);
    if (stationary != nullptr && moving != nullptr) return {stationary->elements, moving->elements};
  }
  return {1, ElementsOf(shape)};
}

std::vector<std::int64_t> ToWords(const MeasuredTables& tables) {
  std::vector<std::int64_t> words;
  Put(words, tables.sbuf);
  Put(words, tables.psum);
  for (const LatencyGrid& grid : tables.dma) Put(words, grid);
  words.push_back(static_cast<std::int64_t>(tables.instructions.size()));
  for (const LatencyCurve& curve : tables.instructions) Put(words, curve);
  words.push_back(static_cast<std::int64_t>(tables.products.size()));
  for (const LatencyGrid& grid : tables.products) Put(words, grid);
  words.push_back(static_cast<std::int64_t>(tables.of.size()));
  for (const auto& of : tables.of) words.insert(words.end(), of.begin(), of.end());
  return words;
}

std::optional<MeasuredTables> FromWords(std::span<const std::int64_t> words) {
  WordReader reader(words);
  MeasuredTables tables;
  tables.sbuf = reader.Curve();
  tables.psum = reader.Curve();
  for (LatencyGrid& grid : tables.dma) grid = reader.Grid();
  for (std::size_t n = reader.Count(); reader.ok() && n > 0; --n)
    tables.instructions.push_back(reader.Curve());
  for (std::size_t n = reader.Count(); reader.ok() && n > 0; --n)
    tables.products.push_back(reader.Grid());
  tables.of.resize(reader.Count());
  for (auto& of : tables.of) {
    for (std::uint16_t& curve : of) {
      const std::int64_t word = reader.Next();
      if (word < 0 || word > 0xFFFF) return std::nullopt;
      curve = static_cast<std::uint16_t>(word);
    }
  }
  if (!reader.at_end()) return std::nullopt;
  return tables;
}

}  // namespace spillway
