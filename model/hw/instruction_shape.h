// What the price of an instruction depends on.
#pragma once

#include <string_view>
#include <vector>

#include "model/hw/dtype.h"
#include "model/hw/engine.h"

namespace spillway {

/// What the costs depend on in one operand.
struct OperandShape {
  std::string_view name{};
  Space space = Space::kSbuf;
  DType dtype = DType::kFloat32;
  std::int64_t partitions = 1;
  std::int64_t elements = 1;  ///< per partition, broadcasts included
  bool contiguous = true;     ///< the innermost dimension has step 1
  bool wide_stride = false;   ///< an innermost step of more than the target's wide stride
};

/// Who makes the descriptors of a DMA; kNone: they lie ready in memory.
enum class DescriptorGeneration { kNone, kSoftware, kHardware };

/// An instruction of any engine, DMA included. Views: they live as long as what they name.
struct InstructionShape {
  std::string_view op;
  Engine engine = Engine::kDve;
  std::vector<OperandShape> inputs;
  std::vector<OperandShape> outputs;
  bool writes_zero = false;  ///< memset with the value 0
  DescriptorGeneration descriptors = DescriptorGeneration::kNone;
};

}  // namespace spillway
