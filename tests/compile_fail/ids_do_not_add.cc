// expect: (no match for|invalid operands)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const auto kNext = spillway::TensorId(1) + 1;
#else
const spillway::TensorId kNext(spillway::TensorId(1).value + 1);
#endif
