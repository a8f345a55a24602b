// The linear form: one chain of points, loops as header and terminator points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/alloc/ir/access.h"
#include "model/alloc/ir/kernel.h"
#include "model/hw/error.h"

namespace spillway {

/// Point p is item p of the kernel's body: a loop is its header point, its body's points and its
/// terminator point.
struct LoopPoints {
  PointId header;
  PointId terminator;
};

struct PointAccess {
  PointId point;
  std::uint32_t access = 0;  ///< index into AccessesOf(the point's instruction)
  bool is_write = false;
};

/// A kernel with its points, loop nests and the accesses of every tensor. It moves and doesn't
/// copy: accesses point into the kernel's operands, whose storage a move keeps.
struct LinearKernel {
  LinearKernel() = default;
  LinearKernel(LinearKernel&&) = default;
  LinearKernel& operator=(LinearKernel&&) = default;
  LinearKernel(const LinearKernel&) = delete;
  LinearKernel& operator=(const LinearKernel&) = delete;

  Kernel kernel;
  IdVector<PointId, std::optional<LoopId>> loop_of;  ///< innermost loop around the point's item
  IdVector<LoopId, LoopPoints> loop_points;
  IdVector<PointId, std::vector<Access>> accesses;           ///< empty for headers and terminators
  IdVector<TensorId, std::vector<PointAccess>> accesses_of;  ///< in program order, reads first

  std::size_t point_count() const { return kernel.body.size(); }
  const Instruction& instruction(PointId p) const {
    return kernel.instructions[kernel.body[p.value].instruction()];
  }
  bool IsInstruction(PointId p) const {
    return kernel.body[p.value].kind == BodyKind::kInstruction;
  }
};

/// Lays the loop tree out as points. `kernel` must be well formed (the reader and the builder see
/// to that); a body that doesn't nest throws ContractViolation.
/// Source: colorer.md §1.
LinearKernel Linearize(Kernel kernel);

/// The loops around `point`, outermost first.
std::vector<LoopId> NestOf(const LinearKernel& linear, PointId point);

/// What the names alone tell: tensors read before anything can have written them, in this or an
/// earlier iteration (an error), and tensors that
/// are written and never read (a note: real kernels have dead definitions). Inputs and constants
/// are defined from the start; outputs are used at the end.
struct StaticNotes {
  std::vector<TensorId> undefined_at_use;
  std::vector<TensorId> unused_at_definition;
};
StaticNotes CheckDefinitions(const LinearKernel& linear);

/// "undefined at use: 2 (a, b)", or empty where there are none.
std::string DescribeUndefined(const Kernel& kernel, const StaticNotes& notes);
std::string DescribeUnused(const Kernel& kernel, const StaticNotes& notes);

}  // namespace spillway
