// A kernel as text for people: golden files, failing cases, debug output.
#pragma once

#include <string>

#include "model/alloc/ir/kernel.h"

namespace spillway {

/// The whole kernel: a line for the header, one a tensor, then the loop tree, indented, with one
/// instruction a line. Stable: equal kernels give equal text. Reads as
///
///   kernel scale on trn2
///     x: dram float32 [128, 512] input
///     t: sbuf float32 [128, 512] blocks [2] at 0:0 0:2048
///   for i in 0..8 step 1 affine
///     dma_copy.dma dst=t{i mod 2}[0+128, 0: 1x512] <- src=x[512*i: 512x128 1x512]
///   end i
///
/// where an operand is tensor{block}[partition start + count, offset: step x count …].
std::string PrintKernel(const Kernel& kernel);

/// "4 + 512*i", "(1 + i) mod 2".
std::string PrintIndex(const Kernel& kernel, const AffineExpr& expr);
std::string PrintOperand(const Kernel& kernel, const Operand& operand);
/// One line, without indentation and newline.
std::string PrintInstruction(const Kernel& kernel, const Instruction& instruction);
std::string PrintTensor(const Tensor& tensor);

}  // namespace spillway
