// expect: (no match for|invalid operands)
#include "model/hw/units.h"

#ifdef FORBIDDEN
const auto kMoved = spillway::ByteOffset(1) + spillway::PartitionCount(1);
#else
const auto kMoved = spillway::ByteOffset(1) + spillway::Bytes(1);
#endif
