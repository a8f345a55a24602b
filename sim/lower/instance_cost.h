// Durations and descriptors of a kernel's instructions.
#pragma once

#include "model/alloc/ir/kernel.h"
#include "model/hw/target.h"
#include "model/hw/timing/hw_program.h"
#include "model/hw/timing/instruction_cost.h"

namespace spillway {

/// What the cost table needs of a compute instruction. The patterns' counts don't depend on loops.
InstructionShape ShapeOf(const Kernel& kernel, const Instruction& instruction,
                         const Target& target);

/// One descriptor per partition row of the SBUF side; DRAM to DRAM in packets. `first_engine` is
/// left at 0. Source: isa_costs §1.5, §3.4.
Transfer TransferOf(const Kernel& kernel, const Instruction& instruction, const Target& target);

}  // namespace spillway
