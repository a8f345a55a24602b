// The two ends of a save or a reload: a region of a working copy, and its bytes at home.
#pragma once

#include <vector>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// Operands of a DMA between a working copy (SBUF, one block) and a home (DRAM, all blocks).
struct SpillOperands {
  Operand copy;
  Operand home;
  bool whole_block = false;  ///< more than was asked for: see SpillOperandsOf
};

/// The DMA operands for the region that `operand` touches of `tensor`: same partitions, same
/// pattern without broadcasts. A home has its tensor's shape row-major, so partition p starts at
/// element p * (elements per partition). Where that offset has no affine form (two moduli), the
/// whole block stands in; a save of it needs a reload before the write.
/// `block` is the home's block that the copy stands for; empty for a home without blocks.
SpillOperands SpillOperandsOf(const Tensor& tensor, const Operand& operand, TensorId copy,
                              TensorId home, const std::vector<AffineExpr>& block);

/// The home of `tensor`: DRAM, internal, same type, shape and blocks.
/// Source: seed 003 §4 (the DRAM home, "_SpillSave").
Tensor MakeHome(const Tensor& tensor, std::string name);

/// A working copy of one block. Source: seed 003 §4 ("_ReloadStore").
Tensor MakeWorkingCopy(const Tensor& tensor, std::string name);

/// dma_copy from `from` to `to`, marked as spill code, under `when`.
Instruction MakeSpillDma(SpillRole role, Operand from, Operand to, std::vector<Predicate> when);

}  // namespace spillway
