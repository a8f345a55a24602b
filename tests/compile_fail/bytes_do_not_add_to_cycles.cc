// expect: (no match for|invalid operands)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const auto kSum = spillway::Bytes(1) + spillway::Cycles(1);
#else
const auto kSum = spillway::Bytes(1) + spillway::Bytes(1);
#endif
