// Which instructions of an allocated function are the program's, and which an allocator put in.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/alloc/ir/linear_kernel.h"
#include "model/hw/violation.h"

namespace spillway::check {

enum class StepKind {
  kOriginal,  ///< an instruction of the program, its operands renamed
  kCopy,      ///< one that the allocator put in: it moves bytes
  kDropped,   ///< a copy of the program's that the allocator left out
  kLoopBegin,
  kLoopEnd,
};

/// One step of the allocated function beside the program's own.
struct CodeStep {
  StepKind kind = StepKind::kOriginal;
  InstructionId original;     ///< kOriginal, kDropped
  InstructionId allocated;    ///< kOriginal, kCopy
  LoopId loop;                ///< kLoopBegin, kLoopEnd
  PointId point;              ///< of the allocated function; of what follows, for kDropped
  std::size_t other_end = 0;  ///< kLoopBegin, kLoopEnd: index of the loop's other end
};

struct MatchedCode {
  std::vector<CodeStep> steps;        ///< of no use where something was violated
  std::vector<Violation> violations;  ///< "missing instruction", "changed instruction", …
};

/// Lays `allocated` beside `original`: the program's instructions in their order and loops, equal
/// but for the tensors that stand for others; copies in between, marked as spill code or not; and
/// copies of the program's that are left out, since a reload can repeat them. A dropped copy stands
/// right after the instruction that it follows in the program.
MatchedCode MatchCode(const Kernel& original, const LinearKernel& allocated);

/// A copy of one operand to another that the allocator may have put in or left out.
bool IsPlainCopy(const Kernel& kernel, const Instruction& instruction);

}  // namespace spillway::check
