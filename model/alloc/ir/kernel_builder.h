// Kernels written in C++: for tests, generators and examples.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"

namespace spillway {

// Arithmetic of indices: `b.Index("i") * 512 + 4`, `b.Index("i") % 2`. What an AffineExpr can't
// hold, such as a sum with something that has a modulus, throws ContractViolation.
AffineExpr operator+(const AffineExpr& a, const AffineExpr& b);
AffineExpr operator-(const AffineExpr& a, const AffineExpr& b);
AffineExpr operator*(const AffineExpr& a, std::int64_t factor);
AffineExpr operator*(std::int64_t factor, const AffineExpr& a);
AffineExpr operator%(const AffineExpr& a, std::int64_t modulus);

// Predicates on an index.
Predicate AtLeast(const AffineExpr& index, std::int64_t bound);
Predicate LessThan(const AffineExpr& index, std::int64_t bound);
Predicate Equals(const AffineExpr& index, std::int64_t value);
Predicate Differs(const AffineExpr& index, std::int64_t value);

struct TensorOptions {
  Role role = Role::kInternal;
  std::vector<std::int64_t> blocks = {};
  std::vector<Address> at = {};                   ///< one a block; empty: to be allocated
  std::optional<ModuloLaw> alloc = std::nullopt;  ///< gives `at`; makes the kernel one of version 2
  bool by_function = false;  ///< an author's function gave `at`; makes the kernel one of version 2
};

/// An operand in the making; converts to Operand. Starts as the whole tensor, one free dimension a
/// dimension of the shape.
class OperandBuilder {
 public:
  OperandBuilder(const Tensor& tensor, TensorId id);

  OperandBuilder& Block(std::vector<AffineExpr> indices);
  OperandBuilder& Partitions(AffineExpr start, std::int64_t count);
  /// Elements `offset` + 0 … count - 1 of each partition (or of a DRAM tensor).
  OperandBuilder& Elements(AffineExpr offset, std::int64_t count);
  OperandBuilder& Pattern(AffineExpr offset, std::vector<FreeDim> dims);
  /// `rows` x `columns` of a DRAM tensor, whose last dimension is the row; the tile's rows stand
  /// for partitions.
  OperandBuilder& Tile(const AffineExpr& first_row, std::int64_t rows,
                       const AffineExpr& first_column, std::int64_t columns);
  OperandBuilder& As(DType dtype);
  /// Offsets come at run time from what has that name: a tensor where the kernel has one.
  OperandBuilder& Through(std::string name);

  /// Throws ContractViolation where partitions or block indices don't suit the tensor.
  operator Operand() const;  // NOLINT: an operand builder stands where an operand does

 private:
  Tensor tensor_;
  Operand operand_;
};

class KernelBuilder;

/// The instruction that was added last; every call adds to it.
class InstructionBuilder {
 public:
  InstructionBuilder(KernelBuilder& builder, InstructionId id) : builder_(builder), id_(id) {}

  InstructionBuilder& Out(std::string name, Operand operand);
  InstructionBuilder& In(std::string name, Operand operand);
  InstructionBuilder& OutList(std::string name, std::vector<Operand> operands);
  InstructionBuilder& InList(std::string name, std::vector<Operand> operands);
  InstructionBuilder& Attr(std::string name, AttrValue value);
  InstructionBuilder& On(Engine engine);
  InstructionBuilder& When(Predicate predicate);
  InstructionBuilder& SourceLoop(std::string name, std::int64_t iteration);
  InstructionBuilder& Source(std::string position);
  /// Sets the role and the attribute "spill".
  InstructionBuilder& Spill(SpillRole role);
  InstructionId id() const { return id_; }

 private:
  spillway::Instruction& instruction() const;
  InstructionBuilder& Add(std::vector<OperandGroup>& groups, OperandGroup group);

  KernelBuilder& builder_;
  InstructionId id_;
};

/// Builds a well-formed kernel: misuse (a name twice, an index over a loop that isn't open, a loop
/// left open, an operand that doesn't suit its tensor) throws ContractViolation. Where operands
/// reach, and what engines can reach, is the reader's to check.
class KernelBuilder {
 public:
  KernelBuilder(std::string name, std::string target);

  TensorId Dram(std::string name, DType dtype, std::vector<std::int64_t> shape,
                Role role = Role::kInternal);
  TensorId Sbuf(std::string name, DType dtype, std::vector<std::int64_t> shape,
                TensorOptions options = {});
  TensorId Psum(std::string name, DType dtype, std::vector<std::int64_t> shape,
                TensorOptions options = {});
  TensorId Add(Tensor tensor);

  LoopId OpenLoop(std::string name, std::int64_t begin, std::int64_t end, std::int64_t step = 1,
                  LoopKind kind = LoopKind::kAffine);
  void CloseLoop();
  /// The variable of an open loop.
  AffineExpr Index(std::string_view loop) const;

  /// The whole tensor, to be narrowed.
  OperandBuilder Whole(TensorId tensor) const;

  InstructionBuilder Instruction(std::string op);
  /// dma_copy where either side lies in DRAM, else tensor_copy.
  InstructionBuilder Copy(Operand dst, Operand src);

  void Origin(std::string name, AttrValue value);

  /// The kernel so far; all loops must be closed.
  Kernel Build() const;

 private:
  friend class InstructionBuilder;

  TensorId AddOnChip(Space space, std::string name, DType dtype, std::vector<std::int64_t> shape,
                     TensorOptions options);

  Kernel kernel_;
  std::map<std::string, TensorId, std::less<>> tensor_ids_;
  std::vector<LoopId> open_;
};

}  // namespace spillway
