#include "model/alloc/ir/kernel_builder.h"

#include <algorithm>

#include "model/alloc/ir/evaluate_modulo_law.h"

namespace spillway {
namespace {

AffineExpr Must(std::optional<AffineExpr> expr) {
  SPILLWAY_CHECK(expr.has_value(), "this index has no affine form");
  return std::move(*expr);
}

Predicate Compare(const AffineExpr& index, std::int64_t value, Comparison comparison) {
  return {index - value, comparison};
}

/// One dimension a dimension of `shape`, row-major.
std::vector<FreeDim> RowMajor(const std::vector<std::int64_t>& shape, std::size_t first) {
  std::vector<FreeDim> dims;
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d > first; --d) {
    dims.push_back({step, shape[d - 1]});
    step *= shape[d - 1];
  }
  if (dims.empty()) dims.push_back({1, 1});
  std::reverse(dims.begin(), dims.end());
  return dims;
}

}  // namespace

AffineExpr operator+(const AffineExpr& a, const AffineExpr& b) { return Must(ScaleAdd(a, 1, b)); }
AffineExpr operator-(const AffineExpr& a, const AffineExpr& b) {
  return b == AffineExpr(0) ? a : Must(ScaleAdd(b, -1, a));
}
AffineExpr operator*(const AffineExpr& a, std::int64_t factor) {
  return Must(ScaleAdd(a, factor, 0));
}
AffineExpr operator*(std::int64_t factor, const AffineExpr& a) { return a * factor; }
AffineExpr operator%(const AffineExpr& a, std::int64_t modulus) {
  SPILLWAY_CHECK(a.modulus == 0 && modulus > 0, "one positive modulus to an index");
  AffineExpr expr = a;
  expr.modulus = modulus;
  return Normalized(std::move(expr));
}

Predicate AtLeast(const AffineExpr& index, std::int64_t bound) {
  return Compare(index, bound, Comparison::kGreaterEqual);
}
Predicate LessThan(const AffineExpr& index, std::int64_t bound) {
  return Compare(index, bound, Comparison::kLess);
}
Predicate Equals(const AffineExpr& index, std::int64_t value) {
  return Compare(index, value, Comparison::kEqual);
}
Predicate Differs(const AffineExpr& index, std::int64_t value) {
  return Compare(index, value, Comparison::kNotEqual);
}

OperandBuilder::OperandBuilder(const Tensor& tensor, TensorId id) : tensor_(tensor) {
  operand_.tensor = id;
  operand_.partition_count = spillway::Partitions(tensor).value;
  operand_.free_dims = RowMajor(tensor.shape, tensor.space == Space::kDram ? 0 : 1);
}

OperandBuilder& OperandBuilder::Block(std::vector<AffineExpr> indices) {
  operand_.block = std::move(indices);
  return *this;
}

OperandBuilder& OperandBuilder::Partitions(AffineExpr start, std::int64_t count) {
  SPILLWAY_CHECK(tensor_.space != Space::kDram && count > 0,
                 "only on-chip tensors have partitions");
  operand_.partition_start = std::move(start);
  operand_.partition_count = count;
  return *this;
}

OperandBuilder& OperandBuilder::Elements(AffineExpr offset, std::int64_t count) {
  return Pattern(std::move(offset), {{1, count}});
}

OperandBuilder& OperandBuilder::Pattern(AffineExpr offset, std::vector<FreeDim> dims) {
  for (const FreeDim& dim : dims) SPILLWAY_CHECK(dim.count > 0, "a pattern visits something");
  operand_.free_offset = std::move(offset);
  operand_.free_dims = std::move(dims);
  return *this;
}

OperandBuilder& OperandBuilder::Tile(const AffineExpr& first_row, std::int64_t rows,
                                     const AffineExpr& first_column, std::int64_t columns) {
  SPILLWAY_CHECK(tensor_.space == Space::kDram && !tensor_.shape.empty(),
                 "tiles are cut from DRAM");
  const std::int64_t width = tensor_.shape.back();
  return Pattern(first_row * width + first_column, {{width, rows}, {1, columns}});
}

OperandBuilder& OperandBuilder::As(DType dtype) {
  operand_.as = dtype;
  return *this;
}

OperandBuilder& OperandBuilder::Through(std::string name) {
  operand_.indirect = std::move(name);
  return *this;
}

OperandBuilder::operator Operand() const {
  SPILLWAY_CHECK(operand_.block.size() == tensor_.blocks.size(), "one index to a block dimension");
  return operand_;
}

spillway::Instruction& InstructionBuilder::instruction() const {
  return builder_.kernel_.instructions.at(id_);
}

InstructionBuilder& InstructionBuilder::Add(std::vector<OperandGroup>& groups, OperandGroup group) {
  for (const OperandGroup& other : groups)
    SPILLWAY_CHECK(other.name != group.name, "an operand's name twice");
  for (Operand& operand : group.operands) {
    SPILLWAY_CHECK(builder_.kernel_.tensors.contains(operand.tensor),
                   "an operand of an unknown tensor");
    const auto offsets = builder_.tensor_ids_.find(operand.indirect);
    if (offsets != builder_.tensor_ids_.end()) operand.offsets = offsets->second;
  }
  groups.push_back(std::move(group));
  return *this;
}

InstructionBuilder& InstructionBuilder::Out(std::string name, Operand operand) {
  return Add(instruction().outputs, {std::move(name), {std::move(operand)}, false});
}
InstructionBuilder& InstructionBuilder::In(std::string name, Operand operand) {
  return Add(instruction().inputs, {std::move(name), {std::move(operand)}, false});
}
InstructionBuilder& InstructionBuilder::OutList(std::string name, std::vector<Operand> operands) {
  return Add(instruction().outputs, {std::move(name), std::move(operands), true});
}
InstructionBuilder& InstructionBuilder::InList(std::string name, std::vector<Operand> operands) {
  return Add(instruction().inputs, {std::move(name), std::move(operands), true});
}

InstructionBuilder& InstructionBuilder::Attr(std::string name, AttrValue value) {
  SPILLWAY_CHECK(FindAttr(instruction().attrs, name) == nullptr, "an attribute's name twice");
  instruction().attrs.push_back({std::move(name), std::move(value)});
  return *this;
}

InstructionBuilder& InstructionBuilder::On(Engine engine) {
  instruction().engine = engine;
  return *this;
}

InstructionBuilder& InstructionBuilder::When(Predicate predicate) {
  instruction().when.push_back(std::move(predicate));
  return *this;
}

InstructionBuilder& InstructionBuilder::SourceLoop(std::string name, std::int64_t iteration) {
  instruction().source_loops.emplace_back(std::move(name), iteration);
  return *this;
}

InstructionBuilder& InstructionBuilder::Source(std::string position) {
  instruction().src = std::move(position);
  return *this;
}

InstructionBuilder& InstructionBuilder::Spill(SpillRole role) {
  SPILLWAY_CHECK(role != SpillRole::kNone, "a spill saves or reloads");
  instruction().spill = role;
  return Attr("spill", role == SpillRole::kSave ? "save" : "reload");
}

KernelBuilder::KernelBuilder(std::string name, std::string target) {
  kernel_.name = std::move(name);
  kernel_.target = std::move(target);
}

TensorId KernelBuilder::Dram(std::string name, DType dtype, std::vector<std::int64_t> shape,
                             Role role) {
  return Add({std::move(name), Space::kDram, dtype, std::move(shape), {}, role, {}});
}

TensorId KernelBuilder::Sbuf(std::string name, DType dtype, std::vector<std::int64_t> shape,
                             TensorOptions options) {
  return AddOnChip(Space::kSbuf, std::move(name), dtype, std::move(shape), std::move(options));
}

TensorId KernelBuilder::Psum(std::string name, DType dtype, std::vector<std::int64_t> shape,
                             TensorOptions options) {
  return AddOnChip(Space::kPsum, std::move(name), dtype, std::move(shape), std::move(options));
}

TensorId KernelBuilder::AddOnChip(Space space, std::string name, DType dtype,
                                  std::vector<std::int64_t> shape, TensorOptions options) {
  Tensor tensor{std::move(name),
                space,
                dtype,
                std::move(shape),
                std::move(options.blocks),
                options.role,
                std::move(options.at),
                {}};
  if (options.alloc) {
    SPILLWAY_CHECK(tensor.at.empty(), "a law gives the addresses");
    Result<std::vector<Address>> addresses = EvaluateModuloLaw(tensor, *options.alloc);
    SPILLWAY_CHECK(addresses, addresses ? "" : addresses.error().message);
    tensor.at = std::move(*addresses);
    tensor.alloc = std::move(options.alloc);
    kernel_.version = 2;
  }
  if (options.by_function) {
    SPILLWAY_CHECK(!tensor.alloc && !tensor.at.empty(), "a function gives addresses, and no law");
    tensor.by_function = true;
    kernel_.version = 2;
  }
  return Add(std::move(tensor));
}

TensorId KernelBuilder::Add(Tensor tensor) {
  SPILLWAY_CHECK(!tensor.name.empty(), "a tensor needs a name");
  SPILLWAY_CHECK(!tensor_ids_.contains(tensor.name), "a tensor's name twice");
  for (const auto* dims : {&tensor.shape, &tensor.blocks}) {
    for (const std::int64_t dim : *dims) SPILLWAY_CHECK(dim > 0, "dimensions are positive");
  }
  SPILLWAY_CHECK(tensor.space == Space::kDram || !tensor.shape.empty(),
                 "on-chip shapes start with partitions");
  SPILLWAY_CHECK(
      tensor.at.empty() || static_cast<std::int64_t>(tensor.at.size()) == BlockCount(tensor),
      "one address a block");
  const TensorId id(kernel_.tensors.size());
  tensor_ids_.emplace(tensor.name, id);
  return kernel_.tensors.push_back(std::move(tensor));
}

LoopId KernelBuilder::OpenLoop(std::string name, std::int64_t begin, std::int64_t end,
                               std::int64_t step, LoopKind kind) {
  SPILLWAY_CHECK(!name.empty() && name != "c" && name != "mod",
                 "c and mod are the constants of an index");
  SPILLWAY_CHECK(step != 0, "a loop must advance");
  for (const LoopId loop : open_)
    SPILLWAY_CHECK(kernel_.loops[loop].name != name, "an open loop's name twice");
  Loop loop{std::move(name), kind, begin, end, step, std::nullopt};
  if (!open_.empty()) loop.parent = open_.back();
  open_.push_back(kernel_.loops.push_back(std::move(loop)));
  kernel_.body.push_back({BodyKind::kLoopBegin, open_.back().value});
  return open_.back();
}

void KernelBuilder::CloseLoop() {
  SPILLWAY_CHECK(!open_.empty(), "no loop is open");
  kernel_.body.push_back({BodyKind::kLoopEnd, open_.back().value});
  open_.pop_back();
}

AffineExpr KernelBuilder::Index(std::string_view loop) const {
  for (const LoopId id : open_) {
    if (kernel_.loops[id].name != loop) continue;
    AffineExpr expr;
    expr.terms.push_back({id, 1});
    return expr;
  }
  SPILLWAY_CHECK(false, "an index over a loop that isn't open");
  return {};
}

OperandBuilder KernelBuilder::Whole(TensorId tensor) const {
  SPILLWAY_CHECK(kernel_.tensors.contains(tensor), "an operand of an unknown tensor");
  return {kernel_.tensors[tensor], tensor};
}

InstructionBuilder KernelBuilder::Instruction(std::string op) {
  SPILLWAY_CHECK(!op.empty(), "an instruction needs an operation");
  spillway::Instruction instruction;
  instruction.op = std::move(op);
  const InstructionId id = kernel_.instructions.push_back(std::move(instruction));
  kernel_.body.push_back({BodyKind::kInstruction, id.value});
  return {*this, id};
}

InstructionBuilder KernelBuilder::Copy(Operand dst, Operand src) {
  const bool dma = kernel_.tensors.at(dst.tensor).space == Space::kDram ||
                   kernel_.tensors.at(src.tensor).space == Space::kDram;
  InstructionBuilder builder = Instruction(dma ? "dma_copy" : "tensor_copy");
  builder.Out("dst", std::move(dst)).In("src", std::move(src));
  if (dma) builder.On(Engine::kDma);
  return builder;
}

void KernelBuilder::Origin(std::string name, AttrValue value) {
  kernel_.origin.push_back({std::move(name), std::move(value)});
}

Kernel KernelBuilder::Build() const {
  SPILLWAY_CHECK(open_.empty(), "a loop is still open");
  return kernel_;
}

}  // namespace spillway
