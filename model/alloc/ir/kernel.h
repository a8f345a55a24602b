// A captured kernel: tensors, loops and instructions in program order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/alloc/ir/affine_expr.h"
#include "model/alloc/ir/attr.h"
#include "model/alloc/ir/modulo_law.h"
#include "model/hw/dtype.h"
#include "model/hw/engine.h"
#include "model/hw/interval.h"
#include "model/hw/units.h"

namespace spillway {

enum class Role { kInternal, kInput, kOutput, kConstant };

/// Where one block of a tensor lies. SBUF: byte of the partition. PSUM: byte in the window of all
/// banks, so bank = byte / bank bytes. DRAM: partition 0, byte in DRAM.
struct Address {
  Partition partition;
  ByteOffset byte;
  friend bool operator==(const Address&, const Address&) = default;
};

/// A tensor. SBUF and PSUM shapes are [partitions, free dimensions…]; DRAM shapes are anything.
/// `blocks` are logical dimensions in front of the shape; every block is placed on its own.
struct Tensor {
  std::string name;
  Space space = Space::kSbuf;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> blocks;
  Role role = Role::kInternal;
  std::vector<Address> at;  ///< empty: to be allocated; else one address a block, row-major
  std::optional<ModuloLaw> alloc =
      std::nullopt;          ///< the law that `at` was evaluated from, where there is one
  bool by_function = false;  ///< a custom allocation function of the author's gave `at`

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

std::int64_t BlockCount(const Tensor& tensor);
/// 0 for DRAM.
PartitionCount Partitions(const Tensor& tensor);
/// Elements per partition (SBUF, PSUM) or in one block (DRAM).
std::int64_t FreeElements(const Tensor& tensor);
/// Bytes per partition of one block (SBUF, PSUM), or of one whole block (DRAM).
Bytes BlockBytes(const Tensor& tensor);

struct FreeDim {
  std::int64_t step = 1;  ///< in elements; 0 is a broadcast
  std::int64_t count = 1;
  friend bool operator==(const FreeDim&, const FreeDim&) = default;
};

/// A strided pattern in elements: of `as` where given, else of the tensor's dtype.
/// Elements are visited partition by partition, then by `free_dims`, outermost first.
struct Operand {
  TensorId tensor;
  std::vector<AffineExpr> block;     ///< one index a block dimension
  AffineExpr partition_start;        ///< SBUF, PSUM
  std::int64_t partition_count = 0;  ///< 0 for DRAM
  AffineExpr free_offset;
  std::vector<FreeDim> free_dims;
  std::optional<DType> as;
  std::string indirect;             ///< empty, or the name of what supplies offsets at run time
  std::optional<TensorId> offsets;  ///< the tensor of that name, where the kernel has one

  friend bool operator==(const Operand&, const Operand&) = default;
};

/// One named operand, or the list that the kernel passed under that name.
struct OperandGroup {
  std::string name;
  std::vector<Operand> operands;
  bool is_list = false;
  friend bool operator==(const OperandGroup&, const OperandGroup&) = default;
};

enum class Comparison { kGreaterEqual, kGreater, kLessEqual, kLess, kEqual, kNotEqual };

/// `expr` compared with zero.
struct Predicate {
  AffineExpr expr;
  Comparison comparison = Comparison::kGreaterEqual;
  friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// What an allocator made an instruction for. Stands in files as the attribute "spill".
enum class SpillRole { kNone, kSave, kReload };

struct Instruction {
  std::string op;                ///< NKI ISA name without prefix
  std::optional<Engine> engine;  ///< as written; `EngineOf` gives the default
  std::vector<OperandGroup> outputs;
  std::vector<OperandGroup> inputs;
  std::vector<Attr> attrs;
  std::vector<Predicate> when;  ///< runs only where all hold
  std::vector<std::pair<std::string, std::int64_t>> source_loops;
  std::string src;
  SpillRole spill = SpillRole::kNone;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

enum class LoopKind { kAffine, kSequential, kStatic, kDynamic };

struct Loop {
  std::string name;
  LoopKind kind = LoopKind::kAffine;
  std::int64_t begin = 0;
  std::int64_t end = 0;   ///< a bound where the kind is dynamic
  std::int64_t step = 1;  ///< not 0
  std::optional<LoopId> parent;
  friend bool operator==(const Loop&, const Loop&) = default;
};

std::int64_t TripCount(const Loop& loop);

enum class BodyKind { kLoopBegin, kInstruction, kLoopEnd };

/// The loop tree in preorder: each loop opens, holds its body and closes.
struct BodyItem {
  BodyKind kind = BodyKind::kInstruction;
  std::uint32_t index = 0;  ///< of the loop or the instruction

  LoopId loop() const { return LoopId(index); }
  InstructionId instruction() const { return InstructionId(index); }
  friend bool operator==(const BodyItem&, const BodyItem&) = default;
};

struct Kernel {
  std::string name;
  std::int64_t version = 1;
  std::string target;
  std::vector<Attr> origin;
  std::vector<Attr> opts;  ///< compile options that differ from their defaults, as written
  IdVector<TensorId, Tensor> tensors;
  IdVector<LoopId, Loop> loops;                       ///< in the order in which they open
  IdVector<InstructionId, Instruction> instructions;  ///< in the order of the body
  std::vector<BodyItem> body;

  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// The engine as written, else the operation's default; for an operation that the project doesn't
/// know: DMA if an operand lies in DRAM, else Vector.
Engine EngineOf(const Kernel& kernel, const Instruction& instruction);

/// Whether every predicate holds at these loop values.
bool Holds(const std::vector<Predicate>& when, std::span<const std::int64_t> loop_values);

}  // namespace spillway
