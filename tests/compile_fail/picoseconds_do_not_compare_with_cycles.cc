// expect: (no match for|invalid operands)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const bool kLess = spillway::Picoseconds(1) < spillway::Cycles(2);
#else
const bool kLess = spillway::Cycles(1) < spillway::Cycles(2);
#endif
