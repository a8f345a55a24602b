// expect: (no match for|invalid operands)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const auto kTwice = spillway::Bytes(1) * spillway::Bytes(2);
#else
const auto kTwice = spillway::Bytes(1) * 2;
#endif
