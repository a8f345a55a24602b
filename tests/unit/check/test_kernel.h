// Kernels written by hand, byte by byte: every tensor is of uint8, so that elements are bytes.
#pragma once

#include <string>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/alloc/ir/placement.h"

namespace spillway {

/// A part of a tensor; without a count, all of its bytes or partitions.
struct Part {
  AffineExpr offset = 0;
  std::int64_t count = 0;
  AffineExpr partition = 0;
  std::int64_t partitions = 0;
  std::vector<AffineExpr> block = {};
};

/// `coefficient` * `loop` + `constant`.
inline AffineExpr Times(LoopId loop, std::int64_t coefficient, std::int64_t constant = 0) {
  AffineExpr expr(constant);
  expr.terms.push_back({loop, coefficient});
  return Normalized(std::move(expr));
}

inline AffineExpr Modulo(AffineExpr expr, std::int64_t modulus) {
  expr.modulus = modulus;
  return Normalized(std::move(expr));
}

class TestKernel {
 public:
  TensorId Add(Space space, const std::string& name, std::int64_t partitions, std::int64_t bytes,
               std::vector<std::int64_t> blocks = {}) {
    Tensor tensor;
    tensor.name = name;
    tensor.space = space;
    tensor.dtype = DType::kUint8;
    tensor.shape = {partitions, bytes};
    if (space == Space::kDram) tensor.shape = {bytes};
    tensor.blocks = std::move(blocks);
    return kernel_.tensors.push_back(std::move(tensor));
  }
  TensorId Sbuf(const std::string& name, std::int64_t partitions, std::int64_t bytes,
                std::vector<std::int64_t> blocks = {}) {
    return Add(Space::kSbuf, name, partitions, bytes, std::move(blocks));
  }
  TensorId Psum(const std::string& name, std::int64_t partitions, std::int64_t bytes,
                std::vector<std::int64_t> blocks = {}) {
    return Add(Space::kPsum, name, partitions, bytes, std::move(blocks));
  }
  TensorId Dram(const std::string& name, std::int64_t bytes,
                std::vector<std::int64_t> blocks = {}) {
    return Add(Space::kDram, name, 0, bytes, std::move(blocks));
  }

  /// Opens a loop over [0, trips).
  LoopId Open(std::int64_t trips, LoopKind kind = LoopKind::kSequential) {
    Loop loop;
    loop.name = "l" + std::to_string(kernel_.loops.size());
    loop.kind = kind;
    loop.end = trips;
    if (!open_.empty()) loop.parent = open_.back();
    open_.push_back(kernel_.loops.push_back(loop));
    kernel_.body.push_back({BodyKind::kLoopBegin, open_.back().value});
    return open_.back();
  }
  void Close() {
    kernel_.body.push_back({BodyKind::kLoopEnd, open_.back().value});
    open_.pop_back();
  }

  Operand At(TensorId id, Part part = {}) const {
    const Tensor& tensor = kernel_.tensors[id];
    Operand operand;
    operand.tensor = id;
    operand.block = part.block;
    if (operand.block.empty()) operand.block.assign(tensor.blocks.size(), AffineExpr(0));
    if (tensor.space != Space::kDram) {
      operand.partition_start = part.partition;
      operand.partition_count = part.partitions > 0 ? part.partitions : Partitions(tensor).value;
    }
    operand.free_offset = part.offset;
    operand.free_dims = {{1, part.count > 0 ? part.count : FreeElements(tensor)}};
    return operand;
  }

  /// Appends an instruction and returns it for further changes; the reference lives until the next.
  Instruction& Op(std::vector<Operand> outputs, std::vector<Operand> inputs,
                  const std::string& op = "tensor_copy") {
    Instruction instruction;
    instruction.op = op;
    for (Operand& operand : outputs)
      instruction.outputs.push_back({"dst", {std::move(operand)}, false});
    for (Operand& operand : inputs)
      instruction.inputs.push_back({"src", {std::move(operand)}, false});
    const InstructionId id = kernel_.instructions.push_back(std::move(instruction));
    kernel_.body.push_back({BodyKind::kInstruction, id.value});
    return kernel_.instructions[id];
  }
  Instruction& Write(TensorId tensor, Part part = {}) {
    return Op({At(tensor, std::move(part))}, {});
  }
  Instruction& Read(TensorId tensor, Part part = {}) {
    return Op({}, {At(tensor, std::move(part))});
  }
  Instruction& Accumulate(TensorId tensor, Part part = {}) {
    Instruction& instruction = Op({At(tensor, std::move(part))}, {}, "nc_matmul");
    instruction.attrs.push_back({"accumulate", AttrValue(true)});
    return instruction;
  }

  Tensor& tensor(TensorId id) { return kernel_.tensors[id]; }
  const Kernel& kernel() const { return kernel_; }
  LinearKernel Linear() const { return Linearize(kernel_); }

 private:
  Kernel kernel_;
  std::vector<LoopId> open_;
};

/// Runs where `expr` is at least 0.
inline Predicate AtLeastZero(AffineExpr expr) {
  return {std::move(expr), Comparison::kGreaterEqual};
}

/// Addresses of one block a tensor, in the order of the tensors.
inline Placement PlacementOf(const std::vector<Address>& addresses) {
  Placement placement;
  for (const Address& address : addresses) placement.addresses.push_back({address});
  return placement;
}
inline Address Place(std::int64_t partition, std::int64_t byte) {
  return {Partition(partition), ByteOffset(byte)};
}

inline Interval<PointId> Points(int begin, int end) { return {PointId(begin), PointId(end)}; }
inline Interval<ByteOffset> Range(std::int64_t begin, std::int64_t end) {
  return {ByteOffset(begin), ByteOffset(end)};
}

}  // namespace spillway
