// What an instruction reads and writes.
#pragma once

#include <string_view>
#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// One read or one write of an instruction. An operand that is read and written appears twice.
struct Access {
  TensorId tensor;
  const Operand* operand = nullptr;  ///< null: the offsets of an indirect operand
  std::string_view name;             ///< the operand's name in the instruction
  bool is_write = false;
  bool whole_tensor = false;  ///< may touch any element: an indirect operand, or offsets
};

/// Reads first, then writes, each in operand order. An instruction that adds to what its `dst`
/// holds reads it too. Source: kernel format version 1, operands.
std::vector<Access> AccessesOf(const Instruction& instruction);

/// True for a matmul that accumulates onto its destination.
bool IsReadModifyWrite(const Instruction& instruction);

/// True for a DMA that a spill of an SBUF tensor inserted: a save to its home, or a reload from it.
bool IsSpillDma(const Instruction& instruction);

}  // namespace spillway
