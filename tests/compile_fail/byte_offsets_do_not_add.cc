// expect: (no match for|invalid operands)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const auto kSum = spillway::ByteOffset(1) + spillway::ByteOffset(1);
#else
const auto kSum = spillway::ByteOffset(1) + spillway::Bytes(1);
#endif
