#include "model/hw/hwm.h"

#include <fmt/format.h>

namespace spillway {

Error UnpricedOpcode(const Hwm& hwm, const InstructionShape& shape) {
  return {Kind::kUnknownName, "unpriced-opcode",
          fmt::format("the oracle \"{}\" has no price for {} on {}", hwm.Name(), shape.op,
                      EngineName(shape.engine)),
          "", 0};
}

Error NoDescriptorGenerator(const Hwm& hwm, const InstructionShape& shape) {
  return {Kind::kUnknownName, "no-descriptor-generator",
          fmt::format("the oracle \"{}\" can't price {} with descriptors made by hardware: this "
                      "generation has no generator; expected none or software",
                      hwm.Name(), shape.op),
          "", 0};
}

}  // namespace spillway
